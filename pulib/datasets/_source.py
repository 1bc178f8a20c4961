"""The input and the result of a loader."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pulib.datasets._dataset import Dataset, need_space


@dataclass
class Source:
    """The input of a loader.

    Attributes
    ----------
    name : str
    entry : mapping
        The data set's entry in the registry.
    raw : Path
        Folder with the raw files, as ``<data set>/<file>``.
    folder : Path
        Folder for the matrix of :meth:`allocate`.
    prepared : callable
        Maps the name of a prepared data set (``features_of``) to its :class:`Dataset`.
    needed : mapping
        Entries of the data sets that this one ``needs``.
    """

    name: str
    entry: Mapping[str, Any]
    raw: Path
    folder: Path
    prepared: Callable[[str], Dataset]
    needed: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def options(self) -> Mapping[str, Any]:
        """Options that have a value."""
        return {key: value for key, value in self.entry.get("options", {}).items() if value is not None}

    def option(self, key: str) -> Any:
        """Return a required option."""
        if key not in self.options:
            raise ValueError(f"data set {self.name!r}: options.{key}: missing; the loader {self.entry['loader']!r} needs it")
        return self.options[key]

    def file(self, name: str) -> Path:
        """Path of a file of the data set, or of a data set that it needs."""
        for dataset, entry in {self.name: self.entry, **self.needed}.items():
            if any(file["name"] == name for file in entry.get("files", [])):
                return self.raw / dataset / name
        raise ValueError(f"data set {self.name!r}: no file {name!r} in its entry")

    def files(self) -> list[Path]:
        """Paths of the data set's own files, in the order of its entry."""
        return [self.raw / self.name / file["name"] for file in self.entry.get("files", [])]

    def allocate(self, shape: tuple[int, int], dtype: Any) -> np.ndarray:
        """Create a matrix on disk, for data sets too large to be in memory twice."""
        self.folder.mkdir(parents=True, exist_ok=True)
        need_space(self.folder / "X.npy", shape[0] * shape[1] * np.dtype(dtype).itemsize)
        return np.lib.format.open_memmap(self.folder / "X.npy", mode="w+", dtype=np.dtype(dtype), shape=shape)


@dataclass
class Prepared:
    """The result of a loader.

    Attributes
    ----------
    X : array of shape (n_samples, n_features)
    target : integer array of shape (n_samples,)
    n_train : int or None
        Number of rows in the publisher's training set, which come first.
    feature_names : list of str or None
    target_names : dict or None
        Maps codes to names, if the data has names.
    details : dict
        Notes for the record: rows left out, values imputed, the share of words found.
    """

    X: np.ndarray
    target: np.ndarray
    n_train: int | None = None
    feature_names: list[str] | None = None
    target_names: dict[int, str] | None = None
    details: dict[str, Any] = field(default_factory=dict)
