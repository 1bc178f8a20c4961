"""The prepared form of a data set: a matrix, raw targets, a rule that says which of them are positive, and a record."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Dataset:
    """A prepared data set.

    Attributes
    ----------
    name : str
    X : array of shape (n_samples, n_features)
        Memory-mapped (read-only) when it was loaded from disk.
    target : array of shape (n_samples,)
        The targets as published (class numbers, say).
    y : int8 array of shape (n_samples,)
        1 for true positives and 0 for true negatives, by the data set's label rule.
    n_train : int or None
        Where the publisher gives a test set, the number of training rows, which come first; else None.
    meta : dict
        The record made when the data was prepared: counts, feature names, source, checksums.
    """

    name: str
    X: np.ndarray
    target: np.ndarray
    y: np.ndarray
    n_train: int | None = None
    meta: dict[str, Any] = field(default_factory=dict)

    @property
    def prior(self) -> float:
        """Share of true positives over all rows."""
        return float(np.mean(self.y))

    @property
    def feature_names(self) -> list[str]:
        names = self.meta.get("feature_names")
        return list(names) if names else [f"x{j}" for j in range(self.X.shape[1])]


def save_prepared(folder: str | Path, X: np.ndarray, target: np.ndarray, meta: dict[str, Any]) -> None:
    """Write ``X.npy``, ``y.npy`` (the raw targets) and ``meta.json`` into ``folder``."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "X.npy", X)
    np.save(folder / "y.npy", target)
    (folder / "meta.json").write_text(json.dumps(meta, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def load_prepared(folder: str | Path, name: str, positive: list[Any], *, mmap: bool = True) -> Dataset:
    """Open what :func:`save_prepared` wrote.

    Parameters
    ----------
    positive : list
        The raw targets that count as positive.
    """
    folder = Path(folder)
    X = np.load(folder / "X.npy", mmap_mode="r" if mmap else None)
    target = np.load(folder / "y.npy")
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    y = np.isin(target, np.asarray(positive, dtype=target.dtype)).astype(np.int8)
    return Dataset(name=name, X=X, target=target, y=y, n_train=meta.get("n_train"), meta=meta)
