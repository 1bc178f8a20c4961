"""What a trial's numbers follow from, as one short hash: its configuration, its data, and declared versions; no source text.

The key of a trial (study, data set, setting, method, repeat) decides its seeds and goes with its identity everywhere.
Versions of libraries and the processor are labels (:class:`Origin`): numbers made with others are shown as such.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import importlib.util
import json
import platform
import re
import site
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pulab.plan.canonical import OURS, canonical, estimators_in, short_name
from pulab.plan.code import code_of
from pulab.plan.study import Recipe
from pulab.plan.versions import ESTIMATORS, LOADERS, SEEDS
from pulib.datasets.prepare import recipe
from pulib.datasets.registry import base_name

ROOT = Path(__file__).resolve().parents[2]
#: Libraries whose versions can show in the numbers of any trial.
LIBRARIES = {"numba": "numba", "numpy": "numpy", "scipy": "scipy", "sklearn": "scikit-learn"}
#: Suffixes of code and of templates.
SOURCES = (".py", ".jinja", ".html", ".css", ".js", ".md")
#: By function and ``id``: the object, so that the id is not reused, and what the function makes of it.
_MADE: dict[tuple[str, int], tuple[Any, Any]] = {}
#: (study, data set, setting, method): what all repeats of a trial share.
Key = tuple[str, str, str, str]


class Identity(NamedTuple):
    """Equal identities, equal numbers, but for the rounding of libraries and processors.

    ``configuration`` and ``data`` are hashes, ``versions`` declared ones, as in ``estimator BaggingSVC 1, protocol
    resvm.grid_search 1``.
    """

    configuration: str
    data: str
    versions: str

    @property
    def name(self) -> str:
        """The hash that files are named by."""
        return _name_of(self)


class Origin(NamedTuple):
    """What a trial was run with: the versions of libraries, the processor, and the source (:func:`source_of`)."""

    libraries: str
    processor: str
    source: str = ""


def identity_of(recipe: Recipe) -> Identity:
    """The identity of the trials of a group."""
    method, task, split = (_once(canonical, part) for part in (recipe.method, recipe.task, recipe.split))
    versions: dict[str, int | str] = {f"module {name}": version for name, version in _own_modules(*_foreign(recipe)).items()}
    versions |= declared_versions(recipe)
    return Identity(
        configuration=hash_of({"method": method, "task": task, "split": {**split, "positive": recipe.positive}}),
        data=_once(hash_of, recipe.data),
        versions=", ".join(f"{name} {version}" for name, version in sorted(versions.items())),
    )


def _once(make: Callable[[Any], Any], value: Any) -> Any:
    """What a function makes of an object that nothing changes, since thousands of groups share a few dozen of them."""
    place = (make.__name__, id(value))
    known = _MADE.get(place)
    if known is None or known[0] is not value:
        known = _MADE[place] = (value, make(value))
    return known[1]


@cache
def _name_of(identity: Identity) -> str:
    return hash_of(list(identity))


def _classes_in(recipe: Recipe) -> list[str]:
    return _once(estimators_in, recipe.method) + _once(estimators_in, recipe.task)


def declared_versions(recipe: Recipe) -> dict[str, int]:
    """The versions that a trial's numbers follow from, by kind and name: ``{"estimator BaggingSVC": 1, "split given": 1}``."""
    known = ESTIMATORS | dict(recipe.versions)
    found = {"seeds": SEEDS, f"protocol {recipe.study}.{recipe.task.name}": recipe.task.version}
    found |= {f"split {recipe.split.name}": recipe.split.version}
    found |= {f"estimator {short_name(path)}": known[path] for path in _classes_in(recipe) if path in known}
    generator = getattr(recipe.split, "generator", None)
    loaders = [*recipe.loaders, *([f"make_{generator}"] if generator else [])]
    return found | {f"loader {loader}": LOADERS.get(loader, 1) for loader in loaders}


def origin_here(recipe: Recipe) -> Origin:
    """What this machine puts on the trials of a group that it runs."""
    names = sorted({*LIBRARIES.values(), *_distributions_of(recipe)})
    return Origin(", ".join(f"{name} {_version(name)}" for name in names), processor_name(), source_of(recipe))


def source_of(recipe: Recipe) -> str:
    """A short hash of the code behind a group's numbers: its estimators' packages, protocol, splits and loaders.

    It is a label and not part of the identity, because renaming a variable changes it but no number.  Comments and docstrings
    do not count (:func:`pulab.plan.code.code_of`).
    """
    return _source(frozenset(path for path in _classes_in(recipe) if path.split(".")[0] in OURS), recipe.module)


@cache
def _source(ours: frozenset[str], study: str) -> str:
    names = {short_name(path) for path in ours}  # a study's class may extend one of pulib's under its name
    known = (path for path in ours | set(ESTIMATORS) if path.startswith("pulib."))
    families = {path.split(".")[1] for path in known if short_name(path) in names}
    packages = {f"pulib/{name}" for family in families for name in (family, f"_{family}") if (ROOT / "pulib" / name).is_dir()}
    modules = {path.rpartition(".")[0] for path in ours if not path.startswith("pulib.")} | _protocol_modules(study)
    files = _files_at((*sorted(packages), *_shared_places()), (".py",))
    code = [[file.relative_to(ROOT).as_posix(), _code_in(file)] for file in files]
    return hash_of([code, [[_code_in(file) for file in _files_of(name)] for name in sorted(modules)]])[:8]


def _protocol_modules(study: str) -> set[str]:
    """The protocol of a study and the modules that it imports from the study, without what the identity already has."""
    found, new = set[str](), {f"{study}.protocol"}
    while new:
        found |= new
        named = {f"{study}.{name}" for name in _imported_by(new, study)} - found - {f"{study}.study"}
        new = {name for name in named if importlib.util.find_spec(name)}
    return found


def _imported_by(modules: Iterable[str], package: str = "") -> set[str]:
    """The modules of a package, without its name, or else the top-level modules that the import lines of modules name."""
    start = rf"(?:{re.escape(package)}|\.)\.*(?: import )?" if package else ""
    line = re.compile(rf"^\s*(?:from|import) {start}\(?\s*(\w+(?:,\s*\w+)*)", re.MULTILINE)
    code = [_code_in(file) for name in modules for file in _files_of(name)]
    return {name for text in code for names in line.findall(text) for name in re.split(r",\s*", names)}


@cache
def _code_in(file: Path) -> str:
    return code_of(file.read_text(encoding="utf-8"))


@cache
def _shared_places() -> list[str]:
    """Source that every trial uses: steps of protocols, splits, data sets, estimates of π, and code shared by estimators."""
    private = (file.name for file in sorted((ROOT / "pulib").glob("_*.py")) if file.name != "_version.py")
    steps = ["pulab/trials/protocol.py", "pulab/trials/grids.py"]
    return [*steps, "pulib/sampling", "pulib/datasets", "pulib/priors", "pulib/_priors", *(f"pulib/{name}" for name in private)]


@cache
def processor_name() -> str:
    """The processor, as it calls itself."""
    info = Path("/proc/cpuinfo")
    if info.is_file():
        names = [line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
        if names:
            return names[0]
    return platform.processor() or platform.machine()


def present_commit() -> str:
    """The checkout's commit, abbreviated, and marked where files have been changed; empty outside of git."""
    command = ["git", "describe", "--always", "--dirty", "--exclude", "*"]
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def data_identity(name: str, registry: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What the arrays of a data set follow from, known before they are made.

    The checksum of the arrays, where the registry has it; else files (by their checksums), loader and options.  A file of one's
    own without a checksum counts by its content.
    """
    base = base_name(registry, name)
    entry = registry[base]
    known = entry.get("expected", {}).get("content_sha256")
    if known:
        more = {"target_names": entry.get("target_names"), "n_train": entry.get("expected", {}).get("n_train")}
        return json.loads(json.dumps({"content_sha256": known, **more}))
    steps = _of_any_version(recipe(base, registry))
    own = [Path(file["path"]).expanduser() for file in entry.get("files", []) if "path" in file]
    return steps | {"own_files": [_file_hash(path) for path in own if path.is_file()]}


def _of_any_version(steps: Mapping[str, Any]) -> dict[str, Any]:
    """A recipe without pulib's version; a set that features are made of has the one of the published trials."""
    before = steps.get("features_of")
    features = {"features_of": {**_of_any_version(before), "version": "0+unknown"}} if before else {}
    return {key: value for key, value in steps.items() if key != "version"} | features


def loaders_of(name: str, registry: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The loaders (and generators) whose versions count for a data set: none where the registry has the arrays' checksum."""
    entry = registry[base_name(registry, name)]
    if entry.get("expected", {}).get("content_sha256"):
        return []
    return [*loader_names(entry), *(loaders_of(entry["features_of"], registry) if "features_of" in entry else [])]


def loader_names(entry: Mapping[str, Any]) -> list[str]:
    """The loader of a registry's entry, and the generator that it calls."""
    function = entry.get("options", {}).get("function") if entry["loader"] == "generated" else None
    return [entry["loader"], *([function.rpartition(".")[2]] if function else [])]


def names_in(recipe: Recipe) -> list[str]:
    """What the numbers of a group come from: estimators and loaders, the names under which tolerances are stated."""
    return [*_classes_in(recipe), *recipe.loaders]


def _foreign(recipe: Recipe) -> list[str]:
    paths = [*_classes_in(recipe), *recipe.method.requires, recipe.module]
    return sorted({path.split(".")[0] for path in paths} - set(OURS))


def _distributions_of(recipe: Recipe) -> list[str]:
    others = (top for top in _foreign(recipe) if top not in LIBRARIES and _is_installed(top))
    return [name for name in map(_distribution_of, others) if name]


@cache
def _own_modules(*tops: str) -> dict[str, str]:
    """Modules of a user's own, and those that they import, which no golden number watches: a hash of their files takes the
    place of a version."""
    found, new = set[str](), set(tops)
    while new:
        own = {top for top in new if _is_installed(top) is False}
        found |= own
        new = _imported_by(own) - found - {*OURS, *sys.stdlib_module_names}
    return {top: hash_of([_file_hash(file) for file in _files_of(top)])[:8] for top in found}


@cache
def _distribution_of(top: str) -> str | None:
    """The distribution of a package: mostly of the same name; else one that holds its files, as PyYAML holds those of yaml."""
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.distribution(top).metadata["Name"]
    return next(iter(importlib.metadata.packages_distributions().get(top, [])), None)


@cache
def _version(distribution: str) -> str:
    """As its metadata say, which take a millisecond to read; a job asks for the same ones with each of its groups."""
    return importlib.metadata.version(distribution)


@cache
def _is_installed(top: str) -> bool | None:
    """Whether a package is where installers put it, unlike a folder of source (``pip install -e``) or a module of one's own;
    None where there is none."""
    spec = importlib.util.find_spec(top)
    if spec is None:
        return None
    places = spec.submodule_search_locations or [spec.origin or ""]
    folders = [*site.getsitepackages(), site.getusersitepackages()]
    return any(Path(place).is_relative_to(folder) for place in places for folder in folders)


def _file_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _files_of(module: str) -> list[Path]:
    """The files of a module or a package."""
    spec = importlib.util.find_spec(module)
    assert spec is not None
    folders = list(map(Path, spec.submodule_search_locations or []))
    files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    return files or ([Path(spec.origin)] if spec.origin else [])


@cache
def files_fingerprint(*places: str) -> str:
    """A short hash of code and templates at places below the root: what they make is made again in seconds after any change."""
    files = _files_at(places, SOURCES)
    return hash_of([[file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")] for file in files])


def _files_at(places: Iterable[str], suffixes: Collection[str]) -> list[Path]:
    """The files in folders below the root, or single files."""
    folders = [ROOT / place for place in places]
    return [own for at in folders for own in sorted(f for f in at.rglob("*") if f.suffix in suffixes) or [at]]


def hash_of(value: Any) -> str:
    """Sixteen digits of the SHA-256 of a value as JSON."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]
