"""The definitions that a piece of our code uses, in a form that stays the same when code moves.

:class:`Sources` reads the syntax tree and imports nothing.  From a function or a class it follows every name to the function,
class or module-level value that it stands for, through imports (those inside functions too), packages that gather names or
load them on use, and dotted paths written as text.  Each definition is written down with those it uses as numbers, in the
order in which they are met, so that the name of a module, the place of a definition in it, and its own name do not count.

What can not change a number is left out: comments, docstrings, layout, annotations of functions, what an error or a warning
says, and how a function calls its own variables (but not its parameters).  Where in doubt, more counts: a class counts as a
whole, a module that is used as a value counts as a whole, and of every module that a definition is taken from the statements
count that are neither definitions nor imports.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from pulab.trials.module_source import SCOPES, Module, imports_within, last_name, names_stored, read_module, walk

#: A function that uses one of these can see what its variables are called.
_REFLECTION = frozenset(("locals", "vars", "globals", "eval", "exec"))
_LEFT_OUT = frozenset(("ctx", "type_comment", "kind", "annotation", "returns", "type_params"))
_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")


class Definition(NamedTuple):
    """A module's name and that of a definition in it; the empty name stands for what the module does when it is imported."""

    module: str
    name: str


class Written(NamedTuple):
    """A definition's text, as a hash, and what it refers to by number."""

    text: str
    uses: tuple[Definition, ...]


class Sources:
    """The source files of some packages.

    Parameters
    ----------
    root : path
        The folder that holds the packages' folders.
    packages : tuple of str
        Their names.  Whatever is imported from elsewhere counts by its dotted path.
    skipped : callable
        Whether definitions of a module (dotted path) count by their name alone.
    """

    def __init__(self, root: Path, packages: tuple[str, ...], skipped: Callable[[str], bool] = lambda module: False) -> None:
        self.root = root
        self.packages = packages
        self.skipped = skipped
        self._modules: dict[str, Module] = {}
        self._written: dict[Definition, Written] = {}

    def has(self, path: str) -> bool:
        """Whether a dotted path begins with one of the packages."""
        return path.split(".")[0] in self.packages

    def file_of(self, module: str) -> Path | None:
        """Where a module lies; None where there is none of this name."""
        base = self.root.joinpath(*module.split("."))
        return next((file for file in (base.with_suffix(".py"), base / "__init__.py") if file.is_file()), None)

    def fingerprint(self, *paths: str) -> str:
        """A short hash of all that modules, classes or functions use, themselves included.

        Raises
        ------
        ValueError
            If a path leads to nothing.
        """
        used = self.used(*paths)
        number = {definition: place for place, definition in enumerate(used)}
        digest = hashlib.sha256()
        for definition in used:
            text, uses = self._write(definition)
            digest.update(f"{text} {[number[use] for use in uses]}\n".encode())
        return digest.hexdigest()[:16]

    def used(self, *paths: str) -> list[Definition]:
        """Every definition that counts, in an order that depends on how they refer to each other alone."""
        order: dict[Definition, None] = {}
        todo = [definition for path in paths for definition in self.resolve(path)[0]]
        while todo:
            for definition in todo:
                order.setdefault(definition)
            todo = [use for d in todo for use in self._write(d).uses if use not in order]
            if not todo:
                rest = {Definition(module, "") for module, _ in order if self._module(module).loose} - set(order)
                todo = sorted(rest, key=lambda definition: self._write(definition).text)
        return list(order)

    def resolve(self, path: str) -> tuple[tuple[Definition, ...], str]:
        """What a dotted path stands for, and the attributes behind it (or all of it, if it leads out of the packages).

        Raises
        ------
        ValueError
            If a path into the packages leads to nothing that can be found without running code.
        """
        if not self.has(path):
            return (), path
        parts = path.split(".")
        for cut in range(len(parts), 0, -1):
            module = ".".join(parts[:cut])
            if self.file_of(module):
                if cut == len(parts):
                    return self._whole(module), ""
                definitions, rest = self._lookup(module, parts[cut])
                return definitions, ".".join(filter(None, [rest, *parts[cut + 1 :]]))
        raise ValueError(
            f"{path!r} names no module of ours; expected a dotted path such as 'pulib.trees.PUExtraTreesClassifier'"
        )

    def _lookup(self, module: str, name: str) -> tuple[tuple[Definition, ...], str]:
        source = self._module(module)
        if name in source.definitions:
            return (Definition(module, name),), ""
        if name in source.loose_names:
            return (Definition(module, ""),), ""
        if name in source.imports:
            return self.resolve(source.imports[name])
        if source.gathers and "__getattr__" in source.definitions:
            homes = [part for part in self._parts(module) if name in self._module(part).definitions]
            if len(homes) == 1:
                return (Definition(homes[0], name),), ""
        raise ValueError(_nothing(f"{module}.{name}"))

    def in_doubt(self, path: str) -> tuple[Definition, ...]:
        """All of the module, or of the package with its parts, in which a path gets lost."""
        while not self.file_of(path):
            path = path.rpartition(".")[0]
        if not self._module(path).gathers:
            return self._whole(path)
        return tuple(use for part in self._parts(path) for use in self._whole(part))

    def _parts(self, package: str) -> list[str]:
        folder = self.root.joinpath(*package.split("."))
        files = sorted(file.relative_to(folder).with_suffix("") for file in folder.rglob("*.py"))
        return [".".join([package, *file.parts]) for file in files if file.name != "__init__"]

    def _whole(self, module: str) -> tuple[Definition, ...]:
        source = self._module(module)
        defined = [Definition(module, name) for name in sorted(source.definitions) if name != "__all__"]
        gathered = [use for path in source.imports.values() for use in self.resolve(path)[0]] if source.gathers else []
        return (*defined, *gathered, *([Definition(module, "")] if source.loose else []))

    def _module(self, name: str) -> Module:
        if name not in self._modules:
            file = self.file_of(name)
            assert file is not None
            self._modules[name] = read_module(file, name)
        return self._modules[name]

    def _write(self, definition: Definition) -> Written:
        if definition not in self._written:
            module = self._module(definition.module)
            nodes = module.definitions[definition.name] if definition.name else module.loose
            self._written[definition] = _Writer(self, module).write_definition(nodes)
        return self._written[definition]


def _nothing(path: str) -> str:
    return f"{path!r} names nothing of ours; expected a dotted path such as 'pulib.trees.PUExtraTreesClassifier'"


def _variables(function: ast.AST) -> set[str]:
    """Names that a function, or one inside it, gives to values of its own, and that nothing outside can see."""
    fixed: set[str] = set()
    stored: set[str] = set()
    for node in walk(function):
        if isinstance(node, ast.Name):
            if node.id in _REFLECTION:
                return set()
            if isinstance(node.ctx, ast.Store):
                stored.add(node.id)
        elif isinstance(node, ast.arg):
            fixed.add(node.arg)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            fixed.update(node.names)
        elif isinstance(node, ast.ClassDef):
            fixed.update(names_stored([node]))
        elif isinstance(node, (*SCOPES, ast.MatchAs, ast.MatchStar)) and node.name:
            fixed.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            fixed.add(node.rest)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            stored.add(node.name)
    return {name for name in stored - fixed if not hasattr(builtins, name)}


class _Writer:
    """Writes one definition as text in which other definitions are numbers."""

    def __init__(self, sources: Sources, module: Module) -> None:
        self.sources = sources
        self.module = module
        self.imports = dict(module.imports)
        self.tokens: list[str] = []
        self.uses: dict[Definition, int] = {}
        self.variables: set[str] = set()
        self.renamed: dict[str, str] = {}

    def write_definition(self, nodes: list[ast.stmt]) -> Written:
        self.imports |= dict(imports_within(nodes, self.module.package))
        for node in nodes:
            # what a definition is called counts where it is used, by what it is
            self._write(node, name="" if isinstance(node, (*SCOPES, ast.ClassDef)) else None)
        return Written(hashlib.sha256("\n".join(self.tokens).encode()).hexdigest(), tuple(self.uses))

    def _write(self, node: Any, name: str | None = None) -> None:
        """``name`` stands in for that of a function or class."""
        if isinstance(node, list):
            self.tokens.append("[")
            for part in node:
                self._write(part)
            self.tokens.append("]")
        elif isinstance(node, ast.Name | ast.Attribute):
            self._write_name(node)
        elif isinstance(node, ast.Constant):
            self._write_constant(node.value)
        elif isinstance(node, SCOPES) and not self.variables:
            taken = self.imports.keys() | self.module.definitions.keys() | self.module.loose_names
            self.variables, self.renamed = _variables(node) - taken, {}
            self._write_fields(node, name)
            self.variables = set()
        elif isinstance(node, ast.AST):
            self._write_statement(node, name)
        else:
            self.tokens.append(repr(node))

    def _write_statement(self, node: ast.AST, name: str | None) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        ):
            return
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            self.tokens.append("raise")
            self._write(node.exc.func)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and last_name(node.value) == "warn":
            self.tokens.append("warn")
        elif isinstance(node, ast.AnnAssign):
            # a field of a class is there with its annotation alone; which kind of field it is may count
            kind = re.search(r"ClassVar|InitVar|KW_ONLY", ast.unparse(node.annotation))
            self.tokens.append(f"Assign {kind.group() if kind else ''}")
            self._write([node.target])
            if node.value is not None:
                self._write(node.value)
        elif isinstance(node, ast.Assign):
            self.tokens.append("Assign ")
            self._write(node.targets)
            self._write(node.value)
        else:
            self._write_fields(node, name)

    def _write_fields(self, node: ast.AST, name: str | None) -> None:
        self.tokens.append(type(node).__name__)
        for key, value in ast.iter_fields(node):
            if key in _LEFT_OUT or value is None or value == []:
                continue
            if key == "name" and name is not None:
                value = name
            elif isinstance(node, ast.ExceptHandler) and key == "name":
                value = self._variable(value)
            self.tokens.append(key)
            self._write(value)

    def _variable(self, name: str) -> str:
        return self.renamed.setdefault(name, f"variable {len(self.renamed)}") if name in self.variables else name

    def _write_name(self, node: ast.Name | ast.Attribute) -> None:
        attributes: list[str] = []
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            attributes.insert(0, root.attr)
            root = root.value
        if not isinstance(root, ast.Name):
            self._write(root)
            self.tokens.append(f".{'.'.join(attributes)}")
        elif root.id in self.imports:
            self._write_path(".".join([self.imports[root.id], *attributes]))
        elif root.id in self.module.definitions:
            self._refer((Definition(self.module.name, root.id),), ".".join(attributes))
        elif root.id in self.module.loose_names:
            self._refer((Definition(self.module.name, ""),), ".".join(attributes))
        else:
            self.tokens.append(".".join([self._variable(root.id), *attributes]))

    def _write_constant(self, value: object) -> None:
        self.tokens.append(repr(value))
        if isinstance(value, str) and self.sources.has(value) and _PATH.fullmatch(value) and not self.sources.file_of(value):
            with contextlib.suppress(ValueError):  # text that only looks like a path
                found = self.sources.resolve(value)
                self.tokens.pop()
                self._refer(*found)

    def _write_path(self, path: str) -> None:
        try:
            self._refer(*self.sources.resolve(path))
        except ValueError:
            self._refer(self.sources.in_doubt(path), path)

    def _refer(self, definitions: tuple[Definition, ...], rest: str) -> None:
        for definition in definitions:
            if self.sources.skipped(definition.module):
                self.tokens.append(f"skipped {definition.name}")
            else:
                self.tokens.append(f"definition {self.uses.setdefault(definition, len(self.uses))}")
        self.tokens.append(f".{rest}")
