"""The prepared form of a data set: a matrix, raw targets, a rule for which of them are positive, and a record."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pulib.datasets._checksums import hash_arrays
from pulib.datasets._reading import reading


@dataclass(frozen=True)
class Dataset:
    """A prepared data set.

    Attributes
    ----------
    name : str
    X : array of shape (n_samples, n_features)
        Memory-mapped (read-only) if loaded from disk.
    target : array of shape (n_samples,)
        The targets as published (such as class numbers).
    y : int8 array of shape (n_samples,)
        1 for true positives and 0 for true negatives, as defined by the entry's ``positive``.
    n_train : int or None
        The number of training rows, which come first, if the publisher provides a test set; otherwise None.
    meta : dict
        The record of the preparation: counts, feature names, source, checksums.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import Dataset
    >>> target = np.array([3, 3, 7, 7, 7])
    >>> data = Dataset("sevens", X=np.zeros((5, 2)), target=target, y=(target == 7).astype(np.int8))
    >>> data.prior, data.feature_names
    (0.6, ['x0', 'x1'])
    """

    name: str
    X: np.ndarray
    target: np.ndarray
    y: np.ndarray
    n_train: int | None = None
    meta: dict[str, Any] = field(default_factory=dict)

    @property
    def prior(self) -> float:
        """Share of true positives among all rows."""
        return float(np.mean(self.y))

    @property
    def feature_names(self) -> list[str]:
        names = self.meta.get("feature_names")
        return list(names) if names else [f"x{j}" for j in range(self.X.shape[1])]


def save_prepared(folder: str | Path, X: np.ndarray, target: np.ndarray, meta: dict[str, Any]) -> None:
    """Write ``X.npy``, ``y.npy`` (the raw targets) and ``meta.json`` into ``folder``."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(X, np.memmap) and X.filename is not None and Path(X.filename).resolve() == (folder / "X.npy").resolve():
        X.flush()  # it was created there
    else:
        need_space(folder / "X.npy", X.nbytes)
        np.save(folder / "X.npy", np.ascontiguousarray(X))
    np.save(folder / "y.npy", target)
    (folder / "meta.json").write_text(json.dumps(meta, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def need_space(file: Path, n_bytes: int) -> None:
    """Raise the error of a full disk before a matrix is written: NumPy's has no reason, and a memory map ends the process."""
    if shutil.disk_usage(file.parent).free < n_bytes:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file))


def load_prepared(folder: str | Path, name: str, positive: list[Any]) -> Dataset:
    """Open the files of :func:`save_prepared`, and verify the checksum of the arrays if the record has one.

    Parameters
    ----------
    positive : list
        The raw targets that count as positive, or their names in ``meta["target_names"]``.
    """
    folder = Path(folder)
    with reading(folder / "meta.json"):
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    # the empty matrix of an unavailable data set cannot be mapped
    with reading(folder / "X.npy"):
        X = np.load(folder / "X.npy", mmap_mode="r" if meta.get("available", True) else None)
    with reading(folder / "y.npy"):
        target = np.load(folder / "y.npy")
    known = meta.get("content_sha256")
    if known is not None and meta.get("available", True):
        with reading(folder / "X.npy"):
            if hash_arrays(X, target) != known:
                raise ValueError("X.npy and y.npy do not have the checksum that meta.json records")
    codes = target_codes(positive, meta.get("target_names")) if meta.get("available", True) else []
    y = np.isin(target, codes).astype(np.int8)
    return Dataset(name=name, X=X, target=target, y=y, n_train=meta.get("n_train"), meta=meta)


def target_codes(labels: list[Any], names: Mapping[str, str] | None) -> list[int]:
    """Return the codes of labels, which are given as names or as codes.

    Names take precedence over codes: if the data's labels are the texts ``"1"`` and ``"2"``, with codes 0 and 1, the label 1
    means the name ``"1"``.

    Raises
    ------
    ValueError
        If a text is neither a name nor a whole number.

    Examples
    --------
    >>> target_codes([2, "edible"], {"1": "poisonous", "2": "edible"})
    [2, 2]
    >>> target_codes([1, "2"], {"0": "1", "1": "2"}), target_codes(["-1"], None)
    ([0, 1], [-1])
    """
    code_of = {str(name): int(code) for code, name in (names or {}).items()}
    return [code_of[str(label)] if str(label) in code_of else _as_code(label, code_of) for label in labels]


def _as_code(label: Any, known: Iterable[str]) -> int:
    try:
        return int(label)
    except ValueError:
        names = f"the names of the targets ({', '.join(known)})" if known else "a number, since the targets have no names"
        raise ValueError(f"positive: {label!r} is not a target; expected {names}") from None


def small_integers(target: Any, name: str) -> np.ndarray:
    """Convert targets to 16-bit integers; a target that is not a whole number, or too large, raises an error."""
    target = np.asarray(target)
    wrong = ~np.isfinite(target) | (target != np.rint(target)) if target.dtype.kind == "f" else np.zeros(len(target), bool)
    if wrong.any():
        raise ValueError(f"data set {name!r}: labels are not whole numbers (found {target[wrong][0]}); expected class labels")
    limits = np.iinfo(np.int16)
    beyond = (target < limits.min) | (target > limits.max) if target.dtype.kind != "b" else wrong
    if beyond.any():
        raise ValueError(
            f"data set {name!r}: the target {target[beyond][0]:.0f} does not fit into 16 bits ({limits.min} to {limits.max}); "
            "number the classes otherwise"
        )
    return target.astype(np.int16)
