"""Imports between the repository's top-level packages ("rooms"), and whether pyproject.toml declares the others."""

import ast
import re
import subprocess
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.test_packaging import PROJECT, ROOT, requirements, texts_of_the_repository

#: Module names by distribution name, if they differ by more than a dash.
MODULES = {
    "scikit-learn": "sklearn",
    "pyyaml": "yaml",
    "xgboost-cpu": "xgboost",
    "markdown-it-py": "markdown_it",
    "pillow": "PIL",
    "pytest-xdist": "xdist",
    "myst-parser": "myst_parser",
    "sphinx-gallery": "sphinx_gallery",
    "pydata-sphinx-theme": "pydata_sphinx_theme",
}
#: Declared dependencies that no line imports, and why.
UNIMPORTED = {
    "pygments": "snakemake --report needs it",
    "pyarrow": "pandas reads and writes Parquet with it",
    "pytest-xdist": "pytest -n",
    "pytest-cov": "pytest --cov",
    "snakemake-executor-plugin-slurm": "snakemake --executor slurm",
    "snakemake-executor-plugin-cluster-generic": "snakemake --executor cluster-generic",
    "seaborn": "scikit-posthocs draws with it",
    "sphinx": "a command",
    "ruff": "a command",
    "snakefmt": "a command",
    "mypy": "a command",
    "codespell": "a command",
    "check-jsonschema": "a command",
    "pre-commit": "a command",
}
#: Extras whose packages each room may import, in addition to the plain dependencies.
EXTRAS = {
    "pulib": ["plots", "nn", "studies"],
    "pulab": ["plots", "nn", "studies"],
    "studies": ["plots", "nn", "studies"],
    "purank": ["rank"],
    "benchmarks": ["plots", "nn", "studies"],
    "workflow": ["studies"],
    "snakemake_logger_plugin_stages": ["studies"],
    "tests": ["plots", "nn", "studies", "test", "browser", "docs", "lint", "slurm", "cluster", "dask"],
    "docs": ["plots", "docs"],
}
#: Undeclared packages; tests that use them are skipped if they are not installed.
WHERE_INSTALLED = {"tests": {"polars", "shap", "skops"}}
#: Rooms that each room may import.
ROOMS = {
    "pulib": {"pulib"},
    "pulab": {"pulib", "pulab"},
    "studies": {"pulib", "pulab", "studies"},
    "purank": {"pulib", "purank"},
    "benchmarks": {"pulib", "pulab", "benchmarks"},
    "workflow": {"pulib", "pulab", "studies", "benchmarks"},
    "tests": {"pulib", "pulab", "purank", "studies", "benchmarks", "tests", "snakemake_logger_plugin_stages"},
    "docs": {"pulib"},
    "snakemake_logger_plugin_stages": set(),
}


class Import(NamedTuple):
    """An import: module, names, whether it runs when the file is imported, and its place."""

    module: str
    names: tuple[str, ...]
    at_import: bool
    place: str


class Finder(ast.NodeVisitor):
    """Collect the imports of a file, except those under ``if TYPE_CHECKING``."""

    def __init__(self, file: Path):
        self.found: list[Import] = []
        self.file, self.depth = file, 0

    def visit_FunctionDef(self, node):
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_If(self, node):
        if "TYPE_CHECKING" in (getattr(node.test, "id", ""), getattr(node.test, "attr", "")):
            node.body = []
        self.generic_visit(node)

    def visit_Import(self, node):
        for alias in node.names:
            self.add(node, alias.name, ())

    def visit_ImportFrom(self, node):
        assert not node.level, f"{self.file}:{node.lineno}: a relative import"
        self.add(node, node.module, tuple(alias.name for alias in node.names))

    def visit_Call(self, node):
        """Record ``pytest.importorskip`` and ``importlib.import_module`` calls with a literal name."""
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if called in ("importorskip", "import_module") and node.args and isinstance(node.args[0], ast.Constant):
            self.add(node, node.args[0].value, ())
        self.generic_visit(node)

    def add(self, node, module, names):
        place = f"{self.file.relative_to(ROOT)}:{node.lineno}"
        self.found.append(Import(module, names, self.depth == 0, place))


@cache
def imports(room: str) -> tuple[Import, ...]:
    """Return all imports in a room's files, except generated ones."""
    found = []
    for file in sorted((ROOT / room).rglob("*.py")):
        if "_build" in file.parts or "auto_examples" in file.parts:
            continue
        finder = Finder(file)
        finder.visit(ast.parse(file.read_text(encoding="utf-8")))
        found += finder.found
    return tuple(found)


def modules(*extras: str) -> set[str]:
    names = {requirement.name.lower() for requirement in requirements(*extras)}
    return {MODULES.get(name, name.replace("-", "_")) for name in names}


def foreign(room: str) -> dict[str, str]:
    """Return each module outside the standard library that a room imports, with the first place."""
    found: dict[str, str] = {}
    for line in imports(room):
        top = line.module.partition(".")[0]
        if top not in sys.stdlib_module_names:
            found.setdefault(top, line.place)
    return found


@pytest.mark.parametrize("room", EXTRAS)
def test_every_import_is_declared(room):
    allowed = modules(*EXTRAS[room]) | ROOMS[room] | WHERE_INSTALLED.get(room, set())
    undeclared = {module: place for module, place in foreign(room).items() if module not in allowed}
    assert not undeclared


def test_every_declared_dependency_is_imported():
    imported = set().union(*map(foreign, EXTRAS))
    places = [*(ROOT / "config").rglob("*.yaml"), *(ROOT / "studies").rglob("*.py")]
    config = "\n".join(file.read_text(encoding="utf-8") for file in places)
    imported |= {path.partition(".")[0] for path in re.findall(r"\b(\w+\.[\w.]+[A-Z]\w+)", config)}  # classes of methods
    conf = (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")
    imported |= set(re.findall(r'"([a-z_]+)(?:\.[\w.]+)?"', conf))  # extensions and theme
    everything = requirements("plots", "nn", "studies", "test", "docs", "lint", "slurm", "cluster", "dask")
    declared = {requirement.name.lower() for requirement in everything} - set(UNIMPORTED)
    assert [name for name in sorted(declared) if MODULES.get(name, name.replace("-", "_")) not in imported] == []


WITHOUT_EXTRAS = """
import importlib, pkgutil, sys
from importlib.abc import MetaPathFinder

class NotInstalled(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, NotInstalled())
import pulib
assert "numba" not in sys.modules, "importing pulib is light"
for name in pulib.__all__:
    getattr(pulib, name)
for info in pkgutil.walk_packages(pulib.__path__, prefix="pulib."):
    if not any(part.startswith("_") for part in info.name.split(".")):
        module = importlib.import_module(info.name)
        for name in getattr(module, "__all__", ()):
            getattr(module, name)
print("all there")
"""


def test_every_public_name_of_pulib_loads_without_extras():
    """Simulate an installation with only the plain dependencies and without pulab."""
    missing = (modules("plots", "nn", "studies") - modules()) | {"pulab", "purank", "snakemake"}
    code = WITHOUT_EXTRAS.format(missing=missing)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.stdout.strip() == "all there", done.stderr


def test_only_the_workflow_imports_snakemake():
    rooms = ("pulib", "pulab", "studies", "purank", "benchmarks")
    assert [room for room in rooms if "snakemake" in foreign(room)] == []


@pytest.mark.parametrize("room", [room for room in ROOMS if room != "tests"])
def test_private_names_are_not_imported_from_other_rooms(room):
    private, others = [], ROOMS[room] - {room}
    for line in imports(room):
        if line.module.partition(".")[0] in others:
            private += [line.place for part in [*line.module.split("."), *line.names] if re.match(r"_(?!_)", part)]
    assert private == []


def graph(*rooms: str) -> dict[str, set[str]]:
    """Return, for each module of the rooms, the modules of the rooms that it imports, on import or on use."""
    names = {}
    for file in (file for room in rooms for file in (ROOT / room).rglob("*.py")):
        parts = file.relative_to(ROOT).with_suffix("").parts
        names[file.relative_to(ROOT).as_posix()] = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    found: dict[str, set[str]] = {name: set() for name in names.values()}
    for line in (line for room in rooms for line in imports(room)):
        here = names[line.place.rpartition(":")[0]]
        whole = {f"{line.module}.{name}" for name in line.names} & found.keys()
        found[here] |= whole or {line.module} & found.keys()
    return found


def test_modules_have_no_circular_imports():
    """Imports on use count too: a module can be read after the modules that it imports."""
    try:
        order = list(TopologicalSorter(graph("pulib", "pulab", "purank", "studies", "benchmarks")).static_order())
    except CycleError as error:
        pytest.fail(" imports ".join(error.args[1][::-1]), pytrace=False)
    assert order.index("pulib._base") < order.index("pulib.trees._base") < order.index("studies.levelfield.protocol")


def package(module: str) -> str:
    """Return the package of pulib that contains a module, or a top-level module's own name."""
    return ".".join(module.split(".")[:2])


def test_packages_of_pulib_have_no_circular_imports():
    """The prior estimates and trees that `fit` needs lie below the estimators; `pulib.priors` lies above."""
    floors: dict[str, set[str]] = {}
    for module, imported in graph("pulib").items():
        here = package(module)
        floors.setdefault(here, set()).update({package(name) for name in imported} - {here})
    try:
        order = list(TopologicalSorter(floors).static_order())
    except CycleError as error:
        pytest.fail(" imports ".join(error.args[1][::-1]), pytrace=False)
    floor = {name: place for place, name in enumerate(order)}
    assert floor["pulib._trees"] < floor["pulib._priors"] < floor["pulib._base"] < floor["pulib.trees"]
    assert floor["pulib._priors"] < floor["pulib.priors"]


def test_functions_of_pulib_import_no_other_package():
    """Such an import hides a cycle; a package may import its own slow modules on use."""
    names = set(graph("pulib"))
    hidden = []
    for line in imports("pulib"):
        here = ".".join(Path(line.place.rpartition(":")[0]).with_suffix("").parts)
        imported = {f"{line.module}.{name}" for name in line.names} & names or {line.module} & names
        if not line.at_import and any(package(name) != package(here) for name in imported):
            hidden.append(line.place)
    assert hidden == []


def test_extras_named_in_messages_exist():
    named = set()
    for file, text in texts_of_the_repository().items():
        if file.suffix in (".py", ".md", ".smk"):
            named |= {extra for match in re.findall(r"pip install -e '?\.\[([\w,]+)\]", text) for extra in match.split(",")}
            named |= set(re.findall(r'extra="(\w+)"', text))
    assert named - set(PROJECT["optional-dependencies"]) == set()
