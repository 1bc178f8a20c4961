"""The input and the result of a loader."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pulib.datasets._dataset import Dataset


@dataclass
class Source:
    """Everything that a loader reads.

    Attributes
    ----------
    name : str
    entry : mapping
        The registry's entry.
    raw : Path
        The folder that holds ``<data set>/<file>``.
    folder : Path
        Where :meth:`allocate` puts the matrix.
    prepared : callable
        Maps the name of a prepared data set (``features_of``) to its :class:`Dataset`.
    needed : mapping
        Entries that the data set ``needs``.
    """

    name: str
    entry: Mapping[str, Any]
    raw: Path
    folder: Path
    prepared: Callable[[str], Dataset]
    needed: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def options(self) -> Mapping[str, Any]:
        return self.entry.get("options", {})

    def option(self, key: str) -> Any:
        """An option that the loader requires."""
        if key not in self.options:
            raise ValueError(f"data set {self.name!r}: options.{key}: missing; the loader {self.entry['loader']!r} needs it")
        return self.options[key]

    def file(self, name: str) -> Path:
        """Path of a file of the data set, or of one that it needs."""
        for dataset, entry in {self.name: self.entry, **self.needed}.items():
            if any(file["name"] == name for file in entry.get("files", [])):
                return self.raw / dataset / name
        raise ValueError(f"data set {self.name!r}: no file {name!r} in its entry")

    def files(self) -> list[Path]:
        """The data set's own files, in the order of its entry."""
        return [self.raw / self.name / file["name"] for file in self.entry.get("files", [])]

    def allocate(self, shape: tuple[int, int], dtype: Any) -> np.ndarray:
        """A matrix on disk, for loaders of data sets that should not be in memory twice."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return np.lib.format.open_memmap(self.folder / "X.npy", mode="w+", dtype=np.dtype(dtype), shape=shape)


@dataclass
class Prepared:
    """What a loader returns.

    Attributes
    ----------
    X : array of shape (n_samples, n_features)
    target : integer array of shape (n_samples,)
    n_train : int or None
        Rows of the publisher's training set, which come first.
    feature_names : list of str or None
    target_names : dict or None
        Maps codes to names, if the loader finds the names in the data.
    details : dict
        What readers of the record should know: rows left out, values imputed, the share of words found.
    """

    X: np.ndarray
    target: np.ndarray
    n_train: int | None = None
    feature_names: list[str] | None = None
    target_names: dict[int, str] | None = None
    details: dict[str, Any] = field(default_factory=dict)
