"""Convert raw files to ``X.npy``, ``y.npy`` and ``meta.json``, and check them against the registry."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pulib import __version__
from pulib.datasets._checksums import KINDS, hash_arrays
from pulib.datasets._dataset import load_prepared, save_prepared, target_codes
from pulib.datasets._source import Prepared, Source
from pulib.datasets.loaders import LOADERS
from pulib.datasets.registry import base_name, find, sources

FILES = ("X.npy", "y.npy", "meta.json")
_MARK = ".prepare-"
_A_DAY = 86_400.0


class PreparationError(ValueError):
    """A data set does not match the registry."""


def prepare(
    name: str,
    registry: Mapping[str, Mapping[str, Any]],
    raw_dir: str | Path,
    out_dir: str | Path,
    files: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Prepare a data set whose files have been downloaded.

    Parameters
    ----------
    name : str
    registry : mapping
        As returned by :func:`pulib.datasets.registry.load_registry`.
    raw_dir : path
        Contains ``<data set>/<file>``.
    out_dir : path
        Receives ``<data set>/{X.npy, y.npy, meta.json}``.
    files : mapping, optional
        Checksums of the files as returned by :func:`pulib.datasets.download.fetch`, for the record.

    Returns
    -------
    meta : dict
        The content of ``meta.json``.

    Raises
    ------
    PreparationError
        If the files cannot be read, or the number of rows, features, training rows or rows per class, or the checksum of the
        arrays, is not as expected.
    """
    name = base_name(registry, name)
    entry = find(registry, name)
    with _replacing(Path(out_dir) / name) as work:
        source = Source(
            name=name,
            entry=entry,
            raw=Path(raw_dir),
            folder=work,
            prepared=lambda other: load_prepared(Path(out_dir) / other, other, registry[other]["positive"]),
            needed={other: registry[other] for other in entry.get("needs", [])},
        )
        loader = _loader(entry)
        try:
            prepared = loader(source)
        except (ValueError, TypeError, LookupError, EOFError) as error:
            if name in str(error):
                raise
            raise PreparationError(
                f"data set {name!r}: the loader {entry['loader']!r} cannot read it: {type(error).__name__}: {error}"
            ) from error
        meta = _record(name, entry, prepared)
        meta["recipe"] = recipe(name, registry)
        if files:
            meta["files"] = {file: dict(record) for file, record in files.items()}
        check_expected(name, entry, meta)
        save_prepared(work, prepared.X, prepared.target, meta)
    return meta


def recipe(name: str, registry: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Everything that determines the prepared arrays: the entry's relevant keys, checksums of files, and pulib's version."""
    entry = registry[name]
    before = entry.get("features_of")
    made = {
        **{key: entry.get(key) for key in ("loader", "options", "target_names")},
        "files": {
            file["name"]: {key: file[key] for key in KINDS if key in file}
            for needed in sources(registry, name)
            for file in registry[needed].get("files", [])
        },
        "features_of": recipe(before, registry) if before else None,
        "version": __version__,
    }
    return json.loads(json.dumps(made))


def same_recipe(name: str, registry: Mapping[str, Mapping[str, Any]], meta: Mapping[str, Any]) -> bool:
    """Whether a record's recipe is the registry's current one; for old records without recipes, compare loader and options."""
    entry = registry[name]
    asked = {"loader": entry["loader"], "options": dict(entry.get("options", {}))}
    if json.loads(json.dumps(asked)) != {key: meta.get(key) for key in asked}:
        return False
    return "recipe" not in meta or meta["recipe"] == recipe(name, registry)


def write_unavailable(name: str, out_dir: str | Path, reason: str) -> None:
    """Write empty arrays and a record with the reason for a data set that could not be downloaded."""
    meta = {"name": name, "available": False, "reason": reason}
    with _replacing(Path(out_dir) / name) as work:
        save_prepared(work, np.empty((0, 0), np.float32), np.empty(0, np.int16), meta)


def mirrors_tried(record: str | Path, mirrors: list[str], required: bool) -> list[str]:
    """Return a value that changes only if a missing data set should be searched for again.

    Parameters
    ----------
    record : path
        A record of the files of a data set: ``available``, and the ``mirrors`` that this function then returned.
    mirrors : list of str
        The current mirrors.
    required : bool
        Whether to try again, even with the same mirrors, if a data set could not be downloaded.

    Returns
    -------
    mirrors : list of str
        For an available data set, the recorded value, because other mirrors do not matter.
    """
    record = Path(record)
    if not record.is_file():
        return list(mirrors)
    try:
        state = json.loads(record.read_text(encoding="utf-8"))
        if state["available"]:
            return list(state["mirrors"])
    except (ValueError, KeyError, TypeError):  # truncated: treated as missing
        return list(mirrors)
    return [*mirrors, *(["required"] if required else [])]


def loader_path(entry: Mapping[str, Any]) -> str:
    """Dotted path of the function that reads a data set."""
    loader = entry["loader"]
    return LOADERS.get(loader, loader)


def _loader(entry: Mapping[str, Any]) -> Callable[[Source], Prepared]:
    path = loader_path(entry)
    module, _, function = path.rpartition(".")
    if not module:
        raise PreparationError(
            f"data set {entry['name']!r}: loader: unknown loader {path!r}; expected one of {', '.join(sorted(LOADERS))}, "
            "or the dotted path of a function"
        )
    return getattr(importlib.import_module(module), function)


def _record(name: str, entry: Mapping[str, Any], prepared: Prepared) -> dict[str, Any]:
    X, target = prepared.X, prepared.target
    if X.ndim != 2 or target.shape != (len(X),):
        raise PreparationError(f"data set {name!r}: X has shape {X.shape} and y {target.shape}; expected (n, d) and (n,)")
    if prepared.n_train is not None and not 0 < prepared.n_train < len(X):
        raise PreparationError(f"data set {name!r}: n_train={prepared.n_train}; expected 1 to {len(X) - 1}, less than its rows")
    codes, counts = np.unique(target, return_counts=True)
    names = entry.get("target_names") or prepared.target_names or {}
    return {
        "name": name,
        "available": True,
        "loader": entry["loader"],
        "options": dict(entry.get("options", {})),
        "n": int(X.shape[0]),
        "d": int(X.shape[1]),
        "n_train": prepared.n_train,
        "dtype": X.dtype.str,
        "class_counts": {str(code): int(count) for code, count in zip(codes.tolist(), counts, strict=True)},
        "target_names": {str(code): str(label) for code, label in names.items()},
        "feature_names": prepared.feature_names,
        "details": prepared.details,
        "content_sha256": hash_arrays(X, target),
    }


def check_expected(name: str, entry: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
    """Compare a record with the registry's ``expected`` and label rule."""
    expected = dict(entry.get("expected", {}))
    if "class_counts" in expected:
        expected["class_counts"] = {str(code): count for code, count in expected["class_counts"].items()}
    wrong = [f"{key}: expected {value}, got {meta[key]}" for key, value in expected.items() if meta[key] != value]
    if wrong:
        raise PreparationError(f"data set {name!r} is not what the registry expects: " + "; ".join(wrong))
    for label in entry["positive"]:
        try:
            (code,) = target_codes([label], meta["target_names"])
        except ValueError:
            code = None
        if code is None or str(code) not in {*meta["class_counts"], *meta["target_names"]}:
            raise PreparationError(
                f"data set {name!r}: positive: {label!r} is not one of its targets; they are"
                f" {', '.join(meta['target_names'].values() or meta['class_counts'])}"
            )


@contextlib.contextmanager
def _replacing(folder: Path) -> Iterator[Path]:
    """Yield a work folder whose files replace those of ``folder`` if there is no error."""
    folder.mkdir(parents=True, exist_ok=True)
    _sweep(folder)
    work = Path(tempfile.mkdtemp(prefix=f"{_MARK}{platform.node()}-{os.getpid()}-", dir=folder))
    try:
        yield work
        (folder / "meta.json").unlink(missing_ok=True)  # removed first and replaced last: arrays without a record are not read
        for file in FILES:
            os.replace(work / file, folder / file)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _sweep(folder: Path) -> None:
    """Remove leftovers of preparations that were killed on this machine, or that began more than a day ago."""
    for left in folder.glob(f"{_MARK}*"):
        node, _, rest = left.name.removeprefix(_MARK).rpartition("-")[0].rpartition("-")
        with contextlib.suppress(FileNotFoundError):
            old = time.time() - left.stat().st_mtime > _A_DAY
            if old or (node == platform.node() and rest.isdigit() and not process_runs(int(rest))):
                shutil.rmtree(left, ignore_errors=True)


def process_runs(process: int) -> bool:
    """Whether a process with this id exists on this machine."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is another user's
        return True
    return True
