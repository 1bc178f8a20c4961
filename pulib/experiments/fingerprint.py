"""A hash of the source that a method runs, so that a changed algorithm reruns its own trials and no others.

The closure of a module's imports inside ``pulib`` is followed in the syntax tree, without importing anything.  Comments,
docstrings and layout do not count.  Plumbing that cannot change what a trial computes from given arrays (loading data, keeping
results) is left out, but for the modules of :data:`COUNTED`; :data:`TRIAL_FORMAT` is raised by hand where a change there
matters.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import importlib.util
import json
from functools import cache
from pathlib import Path

#: Raise this when the meaning of a trial's inputs or results changes in a module of ``PLUMBING``.
TRIAL_FORMAT = 1

PACKAGE = Path(__file__).resolve().parents[1]
PLUMBING = ("pulib.datasets", "pulib.experiments", "pulib.sampling", "pulib")
SEED_RULE = "pulib.experiments.seeds"
#: Modules in packages of plumbing that decide numbers all the same: they are followed like any other.
COUNTED = ("pulib.datasets.features", "pulib.datasets._circle_noise", "pulib.datasets._expanding_clusters", SEED_RULE)


def source_fingerprint(*paths: str) -> str:
    """A short hash of the source behind dotted paths.

    Parameters
    ----------
    *paths : str
        Modules, or classes and functions in them.  For one outside ``pulib`` it is the version of the distribution that it
        was installed with; where there is none, or it is installed as editable, all ``*.py`` files of its top package.

    Raises
    ------
    ValueError
        If a path leads to no module.
    """
    digest = hashlib.sha256(f"format {TRIAL_FORMAT}".encode())
    modules: set[str] = set()
    for path in paths:
        if path.split(".")[0] == "pulib":
            modules |= _closure(_pulib_module(path))
        else:
            digest.update(_foreign(path).encode())
    for module in sorted(modules):
        digest.update(f"{module} {_file_hash(_file_of(module))}".encode())
    return digest.hexdigest()[:16]


def seeded_fingerprint(*paths: str) -> str:
    """:func:`source_fingerprint` of code that is given seeds: the rule that they are made by counts as well."""
    return source_fingerprint(SEED_RULE, *paths)


def _file_of(module: str) -> Path | None:
    base = PACKAGE.joinpath(*module.split(".")[1:])
    for candidate in (base.with_suffix(".py"), base / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


@cache
def _pulib_module(path: str) -> str:
    parts = path.split(".")
    for cut in range(len(parts), 1, -1):
        module = ".".join(parts[:cut])
        if _file_of(module):
            return _implementation(module, parts[cut]) if cut < len(parts) else module
    raise ValueError(f"{path!r} names no module of pulib; expected a dotted path such as 'pulib.trees.PUExtraTreesClassifier'")


def _implementation(module: str, name: str) -> str:
    """Where a package that only gathers names has one of them from."""
    file = _file_of(module)
    assert file is not None
    if name in _lazy_names(module):
        return _lazy_names(module)[name]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.ImportFrom)
            and node.level == 0
            and name in {alias.asname or alias.name for alias in node.names}
        ):
            return _pulib_module(f"{node.module}.{name}") if (node.module or "").startswith("pulib.") else module
    return module


@cache
def _lazy_names(module: str) -> dict[str, str]:
    """The names that a package imports on use, by its mapping ``_HOME``, and the modules that they are from."""
    file = _file_of(module)
    if file is None or file.name != "__init__.py":
        return {}
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(target, ast.Name) and target.id == "_HOME" for target in targets):
            try:
                return {name: f"{module}.{home}" for name, home in ast.literal_eval(node.value).items()}  # type: ignore[attr-defined]
            except ValueError:  # computed, as pulib's own is
                return {}
    return {}


def _is_within(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def _is_plumbing(module: str) -> bool:
    inner = tuple(package for package in PLUMBING if package != "pulib")
    return module == "pulib" or (_is_within(module, inner) and not _is_within(module, COUNTED))


@cache
def _imports(module: str) -> frozenset[str]:
    """Modules of pulib that a module imports, at any depth of its code."""
    file = _file_of(module)
    assert file is not None
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join([*package.split(".")[: len(package.split(".")) - node.level + 1], *filter(None, [node.module])])
            lazy = _lazy_names(base) if base.split(".")[0] == "pulib" else {}
            names = [base, *(lazy.get(alias.name, f"{base}.{alias.name}") for alias in node.names)]
        found.update(name for name in names if name.split(".")[0] == "pulib" and _file_of(name))
    return frozenset(found)


@cache
def _closure(module: str) -> frozenset[str]:
    seen: set[str] = set()
    todo = [module]
    while todo:
        current = todo.pop()
        if current in seen:
            continue
        seen.add(current)
        todo.extend(name for name in _imports(current) if not _is_plumbing(name))
        if _file_of(current).name == "__init__.py" and current == module:  # type: ignore[union-attr]
            todo.extend(_siblings(current))
    return frozenset(seen)


def _siblings(package: str) -> list[str]:
    """A package that loads its parts on use does not import them: count all of them."""
    folder = PACKAGE.joinpath(*package.split(".")[1:])
    return [f"{package}.{file.stem}" for file in sorted(folder.glob("*.py")) if file.stem != "__init__"]


@cache
def _file_hash(file: Path) -> str:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body
            if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
                node.body = body[1:]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


@cache
def _foreign(path: str) -> str:
    top = path.split(".")[0]
    distributions = importlib.metadata.packages_distributions().get(top)
    if distributions and not _is_editable(distributions[0]):
        return f"{top} {importlib.metadata.version(distributions[0])}"
    spec = importlib.util.find_spec(top)
    if spec is None:
        return f"{top} not installed"
    if spec.submodule_search_locations is None:
        if spec.origin is None:
            raise ValueError(f"{path!r}: {top!r} has no source; name a module with a file")
        return f"{top} {_file_hash(Path(spec.origin))}"
    digest = hashlib.sha256()
    for folder in map(Path, spec.submodule_search_locations):
        for file in sorted(folder.rglob("*.py")):
            digest.update(f"{file.relative_to(folder).as_posix()} {_file_hash(file)}".encode())
    return f"{top} {digest.hexdigest()}"


def _is_editable(distribution: str) -> bool:
    """Whether the source is a folder in which it may change under the same version (pip install -e)."""
    origin = json.loads(importlib.metadata.distribution(distribution).read_text("direct_url.json") or "{}")
    return bool(origin.get("dir_info", {}).get("editable"))
