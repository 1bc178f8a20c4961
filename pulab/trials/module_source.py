"""One source file, read without being run: its imports, its definitions, and the statements that are neither."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

#: Decorators that change nothing but the function itself.  With another one, which may enter it somewhere, its module counts.
LOCAL_DECORATORS = frozenset(
    ("abstractmethod", "cache", "cached_property", "classmethod", "contextmanager", "dataclass", "helper", "inlined")
) | frozenset(
    ("intrinsic", "kernel", "lru_cache", "njit", "no_grad", "property", "register_jitable", "staticmethod", "validate_params")
)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass
class Module:
    """What a file says.

    Attributes
    ----------
    name, package : str
        Its dotted path, and that of the package that its relative imports start from.
    gathers : bool
        Whether it is a package's ``__init__``.
    imports : dict
        From names to dotted paths.
    definitions : dict
        From names to the statements that bind them: functions, classes, plain assignments.
    loose, loose_names : list of statements, set of str
        All else that runs when the module is imported, and what that binds.
    """

    name: str
    package: str
    gathers: bool
    imports: dict[str, str] = field(default_factory=dict)
    definitions: dict[str, list[ast.stmt]] = field(default_factory=dict)
    loose: list[ast.stmt] = field(default_factory=list)
    loose_names: set[str] = field(default_factory=set)


def read_module(file: Path, name: str) -> Module:
    """Read the file of a module of this dotted path."""
    gathers = file.name == "__init__.py"
    package = name if gathers else name.rpartition(".")[0]
    module = Module(name, package, gathers)
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        names = _names_bound(node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            module.imports |= dict(_imported(node, package))
        elif names is not None:
            for bound in names:
                module.definitions.setdefault(bound, []).append(node)
        elif not _never_runs(node):
            module.loose.append(node)
            module.loose_names |= set(names_stored([node])) | {alias for alias, _ in imports_within([node], package)}
    return module


def _names_bound(node: ast.stmt) -> list[str] | None:
    """The names that a plain definition binds; None for any other statement."""
    if isinstance(node, (*SCOPES, ast.ClassDef)):
        return [node.name] if all(last_name(part) in LOCAL_DECORATORS for part in node.decorator_list) else None
    if isinstance(node, ast.Assign):
        targets = [part for target in node.targets for part in (target.elts if isinstance(target, ast.Tuple) else [target])]
    elif isinstance(node, ast.AnnAssign | ast.AugAssign):
        targets = [node.target]
    else:
        return None
    return [target.id for target in targets if isinstance(target, ast.Name)] if _all_names(targets) else None


def _all_names(nodes: Iterable[ast.expr]) -> bool:
    return all(isinstance(node, ast.Name) for node in nodes)


def last_name(node: ast.expr) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _never_runs(node: ast.stmt) -> bool:
    """Text, and what is for type checkers or for a script."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.If):
        return ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING", "__name__ == '__main__'")
    return isinstance(node, ast.Pass)


def _imported(node: ast.Import | ast.ImportFrom, package: str) -> Iterator[tuple[str, str]]:
    """The names that an import binds, and their dotted paths."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield (alias.asname, alias.name) if alias.asname else (alias.name.split(".")[0],) * 2
        return
    base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
    for alias in node.names:
        yield alias.asname or alias.name, ".".join([*base, *filter(None, [node.module]), alias.name])


def walk(node: ast.AST, leaves: tuple[type[ast.AST], ...] = (ast.Name, ast.Constant)) -> Iterator[ast.AST]:
    """As :func:`ast.walk`, but not into ``leaves``, and faster: a plan looks at every definition of ours."""
    todo = [node]
    for part in todo:
        yield part
        if not isinstance(part, leaves):
            for value in vars(part).values():
                if isinstance(value, ast.AST):
                    todo.append(value)
                elif isinstance(value, list):
                    todo += [item for item in value if isinstance(item, ast.AST)]


def imports_within(nodes: Iterable[ast.stmt], package: str) -> Iterator[tuple[str, str]]:
    for node in nodes:
        for part in walk(node, leaves=(ast.expr, ast.arguments)):
            if isinstance(part, ast.Import | ast.ImportFrom):
                yield from _imported(part, package)


def names_stored(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        for part in walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                yield part.id
            elif isinstance(part, (*SCOPES, ast.ClassDef, ast.ExceptHandler)) and part.name:
                yield part.name
