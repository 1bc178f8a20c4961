"""Equal rows: the same patient twice, or a labeled row and its copy among the unlabeled ones.

A model that was trained on one of two equal rows knows the other.  Equal rows therefore share a fold where held-out scores
estimate π or compare models, and are out of a bag together.  Where there are none, folds are what they would be without this
module.  Where π is given and held-out scores only set a threshold, copies share a fold: equal rows of a table in which most
labeled rows have one.  Rows of discrete features are equal by nature, a new row has equals among the training rows too, and
folds without them set the threshold too high.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.model_selection import KFold, StratifiedKFold

from pulib._columns import columns_of
from pulib._labels import is_missing
from pulib._repeats import takes_many_values

#: Bytes of dense rows to process at a time.
_BLOCK_BYTES = 64 << 20
#: Labeled rows are copies if at least this share of them have an equal row and some feature takes many values.  Of the 56
#: tasks of the benchmark, whose rows nobody copied, none with such a feature has more than 0.55.
_COPIED = 0.75
#: Odd numbers that spread the bits of a row's values.
_SPREAD, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


def equal_rows(X: Any) -> np.ndarray | None:
    """Numbers of rows, the same for equal ones, in the order in which they first occur; None where no two rows are equal.

    The rows are those of an array, a sparse matrix, a frame or a sequence.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._equal_rows import equal_rows
    >>> equal_rows(np.array([[3, 0], [1, 2], [3, 0]])), equal_rows(np.array([[3, 0], [1, 2]]))
    (array([0, 1, 0]), None)
    """
    rows = X
    if hasattr(X, "columns"):
        values = np.asarray(X)
        rows = values if values.dtype.kind in "biuf" else X
    elif isinstance(X, np.ndarray) and X.ndim > 2 and len(X):
        rows = X.reshape(len(X), -1)
    if isinstance(rows, np.ndarray) and rows.ndim == 2 and rows.dtype.kind in "biuf":
        hashes = _hashes(rows)
        if len(np.unique(hashes)) == len(hashes):
            return None
    return in_order_of_occurrence(row_groups(rows))


def rows_held_out_together(X: Any, positive: np.ndarray, prior: float | str | None) -> np.ndarray | None:
    """:func:`equal_rows` where held-out scores estimate π, or where π is given and the table has copies; None elsewhere.

    Parameters
    ----------
    X : array, sparse matrix, frame, or sequence, of n_samples rows
    positive : bool array of shape (n_samples,)
    prior : float, "estimate" or None
        π, or how a learner gets it.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._equal_rows import rows_held_out_together
    >>> table = np.random.default_rng(0).normal(size=(30, 1))
    >>> copies = np.r_[table[:8], table]
    >>> rows_held_out_together(copies, np.arange(38) < 8, 0.4)[[0, 1, 8, 9, 37]]
    array([ 0,  1,  0,  1, 29])
    """
    units = equal_rows(X)
    if units is None or prior is None or prior == "estimate":
        return units
    repeated = np.bincount(units)[units] > 1
    copied = np.mean(repeated[positive]) >= _COPIED and takes_many_values(X)
    return units if copied else None


def in_order_of_occurrence(groups: np.ndarray) -> np.ndarray | None:
    """Numbers of groups in the order in which they first occur; None where each row is a group.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._equal_rows import in_order_of_occurrence
    >>> in_order_of_occurrence(np.array([7, 2, 7]))
    array([0, 1, 0])
    """
    _, first, number = np.unique(groups, return_index=True, return_inverse=True)
    if len(first) == len(groups):
        return None
    place = np.empty(len(first), dtype=np.intp)
    place[np.argsort(first)] = np.arange(len(first))
    return place[number]


def folds_of_units(
    positive: np.ndarray, units: np.ndarray, n_folds: int, seed: Any
) -> list[tuple[np.ndarray, np.ndarray]] | None:
    """Stratified folds of units, which stay whole: those with labeled rows are dealt out apart from the others.

    There are fewer folds than ``n_folds`` where fewer units of a kind are there.  None where there are fewer units than folds,
    such as the two values of a single feature, or where a fold would leave no labeled or no unlabeled rows to train on, as for
    labeled rows that are all equal.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._equal_rows import folds_of_units
    >>> positive = np.array([True, True, False, False, False, False])
    >>> [held_out.tolist() for _, held_out in folds_of_units(positive, np.array([0, 1, 1, 0, 2, 3]), 2, 0)]
    [[1, 2, 4], [0, 3, 5]]
    """
    holds = np.bincount(units, positive) > 0
    least = int(min(np.count_nonzero(holds), np.count_nonzero(~holds)))
    kind = StratifiedKFold if least >= 2 else KFold
    if len(holds) < n_folds:
        return None
    n_folds = min(n_folds, least) if least >= 2 else n_folds
    fold = np.empty(len(holds), dtype=np.intp)
    for number, (_, held_out) in enumerate(kind(n_folds, shuffle=True, random_state=seed).split(holds, holds)):
        fold[held_out] = number
    folds = [(np.flatnonzero(fold[units] != k), np.flatnonzero(fold[units] == k)) for k in range(n_folds)]
    return folds if all(len(np.unique(positive[train])) == 2 for train, _ in folds) else None


def _hashes(rows: np.ndarray) -> np.ndarray:
    """A hash for each row: equal for equal rows, and rarely for others."""
    found = np.empty(len(rows), dtype=np.uint64)
    width = -(-rows.shape[1] * rows.dtype.itemsize // 8) * 8
    spread = _SPREAD * (2 * np.arange(width // 8, dtype=np.uint64) + np.uint64(1))
    step = max(1, _BLOCK_BYTES // max(width, 1))
    for start in range(0, len(rows), step):
        block = np.ascontiguousarray(rows[start : start + step])
        block = block + 0.0 if block.dtype.kind == "f" else block  # -0.0 becomes 0.0
        padded = np.zeros((len(block), width), dtype=np.uint8)
        padded[:, : block.shape[1] * block.dtype.itemsize] = block.view(np.uint8).reshape(len(block), -1)
        words = padded.view(np.uint64)
        words = (words ^ (words >> np.uint64(32))) * _MIX
        words ^= words >> np.uint64(29)
        found[start : start + step] = (words * spread).sum(axis=1, dtype=np.uint64)
    return found


def row_groups(X: Any) -> np.ndarray:
    """The same number for equal rows, since a labeled row may occur among the unlabeled ones too.

    The numbers are the same for dense and sparse rows, and with them the folds.
    """
    if sparse.issparse(X):
        keys: list[Hashable] = list(_sparse_keys(X))
        number = {key: n for n, key in enumerate(sorted(set(keys)))}  # type: ignore[type-var]
        return np.array([number[key] for key in keys], dtype=np.intp)
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "biufc":
        number = {}
        return np.array([number.setdefault(key, len(number)) for key in _raw_keys(X)], dtype=np.intp)
    rows = np.ascontiguousarray(X) + 0  # -0.0 becomes 0.0
    whole = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    return np.unique(whole, return_inverse=True)[1].ravel()


def _raw_keys(X: Any) -> list[Hashable]:
    """Rows of a frame, or of a sequence of anything, as keys."""
    columns = columns_of(X)
    if columns is None:
        return [_hashable(value) for value in X]
    values = [[_hashable(value) for value in column.tolist()] for _, column in columns]
    return list(zip(*values, strict=True))


def _hashable(value: Any) -> Hashable:
    if isinstance(value, (list, tuple, np.ndarray)):
        return tuple(map(_hashable, value))
    if is_missing(value):
        return None
    try:
        hash(value)
    except TypeError:  # a dictionary of words and counts
        return repr(value)
    return value


def _sparse_keys(X: Any) -> list[bytes]:
    """Of each row its columns and values, in bytes whose order is that of the dense rows' bytes.

    Where two rows first differ, the one with an entry comes after the one that has zero there: hence columns counted from the
    end.
    """
    rows = sparse.csr_matrix(X, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    entries = np.empty(rows.nnz, dtype=[("column", ">i8"), ("value", rows.dtype)])
    entries["column"] = rows.shape[1] - 1 - rows.indices.astype(np.int64)
    entries["value"] = rows.data
    return [entries[start:stop].tobytes() for start, stop in pairwise(rows.indptr)]
