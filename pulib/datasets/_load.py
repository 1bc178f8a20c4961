"""Load a data set by name: download, check, prepare, and open it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pooch

from pulib.datasets._checksums import hash_file
from pulib.datasets._dataset import Dataset, load_prepared
from pulib.datasets.download import fetch
from pulib.datasets.prepare import FILES, check_expected, prepare, same_recipe
from pulib.datasets.registry import RegistryError, base_name, find, load_registry, sources


def default_data_dir() -> Path:
    """Return the folder named in ``PULIB_DATA``, or one in the user's cache."""
    return Path(os.environ.get("PULIB_DATA") or pooch.os_cache("pulib"))


def mirror_list(mirror: str | Iterable[str] | None = None) -> list[str]:
    """Return ``mirror`` as a list, followed by the mirrors in ``PULIB_MIRROR``, which are separated as in ``PATH``.

    >>> getfixture("monkeypatch").setenv("PULIB_MIRROR", os.pathsep.join(["/data", "https://host:8080/sets"]))
    >>> mirror_list("mine")
    ['mine', '/data', 'https://host:8080/sets']
    """
    given = [mirror] if isinstance(mirror, str | Path) else list(mirror or [])
    parts = re.findall(
        rf"(?:https?|ftp)://[^/{os.pathsep}]+(?::\d+)?[^{os.pathsep}]*|[^{os.pathsep}]+", os.environ.get("PULIB_MIRROR", "")
    )
    return list(dict.fromkeys(map(str, [*given, *parts])))


def load_dataset(
    name: str,
    *,
    data_dir: str | Path | None = None,
    mirror: str | Iterable[str] | None = None,
    registry: Mapping[str, Mapping[str, Any]] | str | Path | None = None,
) -> Dataset:
    """Load a data set by name, as the arrays that the workflow uses.

    The first call downloads, checks and prepares the data; later calls open the prepared arrays.

    Parameters
    ----------
    name : str
        A name in the registry, such as ``"breast_cancer"``, ``"mnist"`` or ``"mnist_digit_7"``.
    data_dir : path, optional
        Folder for ``raw/`` and ``data/``, such as the workflow's ``resources`` folder; by default, the one named in
        ``PULIB_DATA``, or else one in the user's cache.
    mirror : str or list of str, optional
        Folders or base URLs, with files as ``<data set>/<file>``, to try before the canonical URLs, in addition to those in
        ``PULIB_MIRROR``.
    registry : mapping or path, optional
        A registry to use instead of pulib's: a file, or what :func:`pulib.datasets.registry.load_registry` returns.

    Returns
    -------
    dataset : Dataset
        With ``X`` memory-mapped and read-only.

    Raises
    ------
    RegistryError
        If the name is unknown, or names files that data sets need.
    DownloadError
        If a file cannot be downloaded; the message has the file, its addresses, and the expected and received contents.
    PreparationError
        If the data does not match the registry.

    Examples
    --------
    >>> from pulib import load_dataset
    >>> data = load_dataset("breast_cancer", data_dir=getfixture("tmp_path"))
    >>> data.X.shape, round(data.prior, 3)
    ((569, 30), 0.627)
    """
    if registry is None or isinstance(registry, str | Path):
        registry = load_registry(registry)
    if find(registry, name).get("resource"):
        user = next((user for user, entry in registry.items() if name in entry.get("needs", [])), "")
        raise RegistryError(f"{name!r} is not a data set, but files that others need, such as {user!r}")
    folder = Path(data_dir) if data_dir is not None else default_data_dir()
    base = base_name(registry, name)
    mirrors = mirror_list(mirror)
    if not _is_prepared(base, registry, folder):
        _prepare(base, registry, folder, mirrors)
    return load_prepared(folder / "data" / base, name, registry[name]["positive"])


def _prepare(name: str, registry: Mapping[str, Mapping[str, Any]], folder: Path, mirrors: list[str]) -> None:
    entry = registry[name]
    before = entry.get("features_of")
    if before and not _is_prepared(before, registry, folder):
        _prepare(before, registry, folder, mirrors)
    files: dict[str, Any] = {}
    for needed in sources(registry, name):
        files |= fetch(registry[needed], folder / "raw" / needed, mirrors)
    prepare(name, registry, folder / "raw", folder / "data", files)


def _is_prepared(name: str, registry: Mapping[str, Mapping[str, Any]], folder: Path) -> bool:
    """Whether the prepared arrays exist and still match the registry."""
    place = folder / "data" / name
    if not all((place / file).is_file() for file in FILES):
        return False
    try:
        meta = json.loads((place / "meta.json").read_text(encoding="utf-8"))
        if not meta.get("available", True) or not same_recipe(name, registry, meta):
            return False
        check_expected(name, registry[name], meta)
    except (ValueError, KeyError, AttributeError):  # truncated or outdated
        return False
    for file in (file for needed in sources(registry, name) for file in registry[needed].get("files", []) if "path" in file):
        path = Path(file["path"]).expanduser()
        if not path.is_file() or hash_file(path) != meta.get("files", {}).get(file["name"], {}).get("sha256"):
            return False
    return True
