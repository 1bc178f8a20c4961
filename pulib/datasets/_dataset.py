"""The prepared form of a data set: a matrix, raw targets, a rule that says which of them are positive, and a record."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pulib._faults import reading


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
        The raw targets that count as positive, or the names that ``meta["target_names"]`` gives them.
    """
    folder = Path(folder)
    with reading(folder / "meta.json"):
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    # an empty matrix, of a data set that could not be had, cannot be mapped
    with reading(folder / "X.npy"):
        X = np.load(folder / "X.npy", mmap_mode="r" if mmap and meta.get("available", True) else None)
    with reading(folder / "y.npy"):
        target = np.load(folder / "y.npy")
    codes = np.asarray(target_codes(positive, meta.get("target_names")), dtype=target.dtype)
    y = np.isin(target, codes).astype(np.int8)
    return Dataset(name=name, X=X, target=target, y=y, n_train=meta.get("n_train"), meta=meta)


def target_codes(labels: list[Any], names: dict[str, str] | None) -> list[int]:
    """The codes behind labels that are given as codes or as names.

    >>> target_codes([2, "edible"], {"1": "poisonous", "2": "edible"})
    [2, 2]
    """
    code_of = {name: int(code) for code, name in (names or {}).items()}
    return [label if isinstance(label, int) else code_of.get(label, -1) for label in labels]
