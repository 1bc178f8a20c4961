"""What a study shows, held against what its trials measure and what its paper prints, before anything is trained.

Tables, figures and claims are functions, which need numbers to run; here their source is read instead.  Names that they put
together in other ways than f-strings are found when they run.
"""

from __future__ import annotations

import ast
import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from pulab.plan.configuration import ConfigError
from pulab.plan.experiment import hint
from pulab.plan.load import folder_of
from pulab.plan.study import Study


def check_shown(study: Study) -> None:
    """Check names in the tables, figures, claims and leaderboard of a study.

    Raises
    ------
    ConfigError
        At the first table, figure or leaderboard without a function, metric that no task of the study measures, or published
        table that its paper lacks.
    """
    folder, measured = folder_of(study), _measured(study)
    modules = {name: _read(folder, name) for name in ("tables", "figures", "claims", "board")}
    if study.board and "board" not in {name for tree in modules["board"].values() for name in _top_level(tree)}:
        raise ConfigError(f"study {study.name}: board: {folder / 'board.py'} has no function of this name")
    for section in ("tables", "figures"):
        trees = modules[section]
        made = {name for file, tree in trees.items() if file.stem in (section, "__init__") for name in _top_level(tree)}
        for name in getattr(study, section):
            if name not in made:
                where = f"study {study.name}: {section}: {name}"
                raise ConfigError(f"{where}: {folder / section} has no function of this name{hint(name, made)}")
    for trees in modules.values():
        for file, tree in trees.items():
            for name, line in _metrics(tree):
                if name not in measured and not any(_meet(name, known) for known in measured):
                    raise ConfigError(
                        f"{file}: line {line}: no task of study {study.name} measures {name!r}{hint(name, measured)}; "
                        "`measures` of a task's class says what it measures"
                    )
    published = {name for name, shown in study.tables.items() if shown.published}
    printed = _printed(folder / "published.csv")
    for file, tree in modules["tables"].items() if printed else ():
        for name, line in _published(tree, published):
            if name not in printed:
                where = f"{file}: line {line}: {folder / 'published.csv'}"
                raise ConfigError(f"{where} has no table {name!r}{hint(name, printed)}; its tables are {sorted(printed)}")


def _measured(study: Study) -> set[str]:
    settings = [setting for preset in study.presets for setting in study.settings_of(preset).values()]
    tasks = [task for setting in settings for task in (setting.task, *setting.tasks.values())]
    for task in tasks:
        if not task.measures:
            kind = type(task).__name__
            raise ConfigError(
                f"study {study.name}: task {kind} measures nothing: name what its function in protocol.py gives, as in "
                '`measures: ClassVar[tuple[str, ...]] = ("accuracy",)`'
            )
    return {name for task in tasks for name in task.measured()}


def _read(folder: Path, module: str) -> dict[Path, ast.Module]:
    """The source of a module, or of all files of a package."""
    trees = {}
    for file in [folder / f"{module}.py", *sorted((folder / module).glob("*.py"))]:
        if file.is_file():
            try:
                trees[file] = ast.parse(file.read_text(encoding="utf-8"), file)
            except SyntaxError as error:
                raise ConfigError(f"{file}: line {error.lineno}: {error.msg}") from None
    return trees


def _top_level(tree: ast.Module) -> Iterator[str]:
    for part in tree.body:
        if isinstance(part, ast.FunctionDef):
            yield part.name
        elif isinstance(part, ast.ImportFrom | ast.Import):
            yield from (alias.asname or alias.name for alias in part.names)
        elif isinstance(part, ast.Assign):
            yield from (target.id for target in part.targets if isinstance(target, ast.Name))


def _metrics(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Metrics in the source: ``metric="x"``, ``{"metric": "x"}`` and ``frame["metric"] == "x"``, and their lines."""
    for node in ast.walk(tree):
        values: list[ast.expr | None] = []
        if isinstance(node, ast.keyword) and node.arg == "metric":
            values = [node.value]
        elif isinstance(node, ast.Dict):
            values = [value for key, value in zip(node.keys, node.values, strict=True) if _is_metric(key)]
        elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Subscript) and _is_metric(node.left.slice):
            values = list(node.comparators)
        for value in values:
            if name := _pattern(value):
                yield name, value.lineno  # type: ignore[union-attr]


def _is_metric(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value == "metric"


def _pattern(node: ast.expr | None) -> str:
    """A text, or an f-string with ``*`` for what is filled in; empty for anything else."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_pattern(part) or "*" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _published(tree: ast.Module, tables: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Published tables that functions, and those of the file that they call, take from ``paper``, and their lines."""
    functions = {part.name: part for part in tree.body if isinstance(part, ast.FunctionDef)}
    todo, seen = [name for name in tables if name in functions], set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        for node in ast.walk(functions[name]):
            if isinstance(node, ast.Name) and node.id in functions:
                todo.append(node.id)
            elif isinstance(node, ast.Call):
                of_paper = isinstance(node.func, ast.Attribute) and node.func.attr == "table" and _is_paper(node.func.value)
                after = node.args if of_paper else node.args[2:] if len(node.args) > 2 and _is_paper(node.args[1]) else []
                if after and isinstance(after[0], ast.Constant) and isinstance(after[0].value, str):
                    yield after[0].value, after[0].lineno


def _is_paper(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "paper"


def _printed(file: Path) -> set[str]:
    """The tables of a paper."""
    if not file.is_file():
        return set()
    with open(file, encoding="utf-8", newline="") as lines:
        return {row["table"] for row in csv.DictReader(lines)}


def _meet(a: str, b: str) -> bool:
    """Whether two patterns can stand for the same name.

    >>> _meet("accuracy_*", "*_population"), _meet("acuracy_*", "accuracy_*")
    (True, False)
    """
    if not a or not b:
        return set(a + b) <= {"*"}
    if a[0] == "*":
        return _meet(a[1:], b) or _meet(a, b[1:])
    if b[0] == "*":
        return _meet(b, a)
    return a[0] == b[0] and _meet(a[1:], b[1:])
