"""What a trial is made of, as short hashes: configuration, data, source, and the versions of libraries.

A changed algorithm runs its own trials again and no others; code that is moved or told otherwise runs none
(:mod:`pulab.trials.definitions` says what counts).  Plumbing that can not change what a trial computes from given arrays
(loading data) is left out; :data:`TRIAL_FORMAT` is raised by hand where a change there matters.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import importlib.util
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from llvmlite.binding import get_host_cpu_name

from pulab.trials.definitions import Sources

#: Raise this when the meaning of a trial's inputs or results changes in code that is left out.
TRIAL_FORMAT = 2

ROOT = Path(__file__).resolve().parents[2]
OURS = ("pulib", "pulab")
SEED_RULE = "pulab.trials.seeds"
#: What every trial uses without naming it: it is given to protocols.
GIVEN = ("pulab.trials.trial.TrialContext", "pulib.datasets.Dataset", "pulib.sampling.Split")
#: Modules of ``pulib.datasets`` that decide numbers: what else is there only reads files.
COUNTED = ("pulib.datasets.features", "pulib.datasets._circle_noise", "pulib.datasets._expanding_clusters")
#: Libraries whose versions can show in the numbers of any trial.
LIBRARIES = ("numba", "numpy", "scikit-learn", "scipy")


class Made(NamedTuple):
    """What made a trial.  Equal configuration, data and source: the same numbers, on the same libraries and processor."""

    configuration: str
    #: empty where the data is not at hand
    data: str
    source: str
    #: such as ``numba 0.62.1, numpy 2.3.5, on znver5``: matrix products round differently on another processor
    versions: str


def made_by(spec: Mapping[str, Any], data: Any = None) -> Made:
    """The fingerprint of the trials of a group.

    Parameters
    ----------
    spec : mapping
        The resolved configuration: ``protocol`` (dotted path), ``method``, ``setting``, ``split`` (``scheme``, ``options``,
        ``positive``), and ``source``, as :func:`source_of` gives it.
    data : object or None
        What of the data a result depends on (:func:`pulab.trials.runner.data_identity`); None where it is not at hand.
    """
    names = sorted({*LIBRARIES, *_foreign_libraries(spec)})
    return Made(
        configuration=_hash(_without_paths(_configuration(spec))),
        data="" if data is None else _hash(data),
        source=spec["source"],
        versions=", ".join([*(f"{name} {_version(name)}" for name in names), f"on {get_host_cpu_name()}"]),
    )


def source_of(spec: Mapping[str, Any]) -> str:
    """The fingerprint of all code of ours that a group's trials run: protocol, estimators, split, and what they are given."""
    paths = [spec["protocol"], *_paths(_configuration(spec))]
    own = [path for path in paths if not _distribution(path)]
    return seeded_fingerprint(*own, f"pulib.sampling.{spec['split']['scheme']}_split", *GIVEN)


def libraries_of(spec: Mapping[str, Any]) -> list[str]:
    """Libraries, with versions, that a group's method is from or needs."""
    return [f"{name} {_version(name)}" for name in _foreign_libraries(spec)]


def _foreign_libraries(spec: Mapping[str, Any]) -> list[str]:
    paths = [*_paths(_configuration(spec)), *spec["method"].get("requires", [])]
    return sorted({name for path in paths if (name := _distribution(path))})


def _configuration(spec: Mapping[str, Any]) -> dict[str, Any]:
    """What of a group's configuration its numbers depend on."""
    split = {key: spec["split"][key] for key in ("scheme", "options", "positive")}
    method = {key: value for key, value in spec["method"].items() if key not in ("requires", "label", "notes")}
    return {"method": method, "setting": spec["setting"], "split": split}


def source_fingerprint(*paths: str) -> str:
    """A short hash of the source behind dotted paths.

    Parameters
    ----------
    *paths : str
        Modules, or classes and functions in them.  For one outside of both packages it is the version of the distribution that
        it was installed with; where there is none, or it is installed as editable, all ``*.py`` files of its top package.

    Raises
    ------
    ValueError
        If a path leads to no module.
    """
    own = [path for path in paths if _is_ours(path)]
    foreign = [_foreign(path) for path in paths if not _is_ours(path)]
    return _hash([f"format {TRIAL_FORMAT}", *foreign, fingerprint_of(ROOT, *own)])


def seeded_fingerprint(*paths: str) -> str:
    """:func:`source_fingerprint` of code that is given seeds: the rule that they are made by counts as well."""
    return source_fingerprint(SEED_RULE, *paths)


def files_fingerprint(*places: str) -> str:
    """A short hash of the Python files at places below the root, for what is made again in seconds after any change of them."""
    files = [file for place in places for file in (sorted((ROOT / place).rglob("*.py")) or [ROOT / place])]
    return _hash([[file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")] for file in files])


def _paths(value: Any) -> list[str]:
    """Estimators, and whatever else of ours a configuration names, in its order."""
    if isinstance(value, Mapping):
        own = [value["estimator"]] if isinstance(value.get("estimator"), str) else []
        # an estimator may be given another one, as {"estimator": {"estimator": path}}
        rest = (value[key] for key in sorted(value, key=str) if not (own and key == "estimator"))
        return own + [path for part in rest for path in _paths(part)]
    if isinstance(value, list | tuple):
        return [path for part in value for path in _paths(part)]
    return [value] if _names_ours(value) else []


def _without_paths(value: Any) -> Any:
    """Where a thing of ours lies does not count: what it is does, in the source."""
    if isinstance(value, Mapping):
        return {str(key): _without_paths(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_without_paths(part) for part in value]
    return "ours" if _names_ours(value) else value


def _names_ours(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"\w+(\.\w+)+", value) is not None and _is_ours(value)


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _is_ours(path: str) -> bool:
    return path.split(".")[0] in OURS


def _only_reads(module: str) -> bool:
    return f"{module}.".startswith("pulib.datasets.") and not f"{module}.".startswith(tuple(f"{part}." for part in COUNTED))


@cache
def sources(root: Path = ROOT) -> Sources:
    """Our own source files as they are on disk when they are first asked for."""
    return Sources(root, OURS, skipped=_only_reads)


@cache
def fingerprint_of(root: Path, *paths: str) -> str:
    return sources(root).fingerprint(*paths)


@cache
def _distribution(path: str) -> str | None:
    """The installed distribution, with a version of its own, that a path is from."""
    names = [] if _is_ours(path) else _distributions().get(path.split(".")[0], [])
    return names[0] if names and not _is_editable(names[0]) else None


@cache
def _distributions() -> Mapping[str, list[str]]:
    return importlib.metadata.packages_distributions()


@cache
def _version(distribution: str) -> str:
    return importlib.metadata.version(distribution)


@cache
def _foreign(path: str) -> str:
    top = path.split(".")[0]
    distribution = _distribution(path)
    if distribution:
        return f"{top} {_version(distribution)}"
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


def _file_hash(file: Path) -> str:
    """Comments, docstrings and layout do not count."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body
            if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
                node.body = body[1:]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


def _is_editable(distribution: str) -> bool:
    """Whether the source is a folder in which it may change under the same version (pip install -e)."""
    origin = json.loads(importlib.metadata.distribution(distribution).read_text("direct_url.json") or "{}")
    return bool(origin.get("dir_info", {}).get("editable"))
