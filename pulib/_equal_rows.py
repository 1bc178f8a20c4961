"""Equal rows: the same patient twice, or a labeled row and its copy among the unlabeled rows.

A model trained on one of two equal rows knows the other.  Equal rows therefore share a fold if held-out scores estimate π or
compare models, and they are out of a bag together.  Without equal rows, folds are unaffected.  If π is given and held-out
scores only set a threshold, equal rows share a fold only if most labeled rows have one, as in a table with copies.  With
discrete features, rows are equal by nature, and new rows equal training rows too; keeping them together would set the threshold
too high.
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
#: Labeled rows are copies if at least this share of them have an equal row and some feature takes many values.  Among the 56
#: benchmark tasks, which contain no copies, the largest share with such a feature is 0.55.
_COPIED = 0.75
#: Odd constants that mix the bits of a row's values.
_SPREAD, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


def equal_rows(X: Any) -> np.ndarray | None:
    """Number distinct rows in order of first occurrence; None if no two rows are equal.

    ``X`` is an array, a sparse matrix, a frame or a sequence.

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
    """Return :func:`equal_rows` if held-out scores estimate π, or if π is given and the table has copies; otherwise None.

    Parameters
    ----------
    X : array, sparse matrix, frame, or sequence, of n_samples rows
    positive : bool array of shape (n_samples,)
    prior : float, "estimate" or None
        The learner's ``prior``.

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
    """Number groups in order of first occurrence; None if each row is its own group.

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
    """Return folds of whole units, stratified by whether units contain labeled rows.

    There are at most as many folds as units of each kind; with a single unit of a kind, folds are not stratified.  Return None
    if there are fewer units than folds (a single binary feature), or if a fold would leave no labeled or no unlabeled rows for
    training (all labeled rows equal).

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
    """Hash each row: equal rows have equal hashes, and other rows rarely do."""
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
    """Number distinct rows; dense and sparse rows get the same numbers, and so the same folds."""
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
    """Return rows of a frame or any sequence as hashable keys."""
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
    """Return the columns and values of each row as bytes that sort like the bytes of dense rows.

    Columns are counted from the end, because at the first difference of two rows, a zero sorts before an entry.
    """
    rows = sparse.csr_matrix(X, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    entries = np.empty(rows.nnz, dtype=[("column", ">i8"), ("value", rows.dtype)])
    entries["column"] = rows.shape[1] - 1 - rows.indices.astype(np.int64)
    entries["value"] = rows.data
    return [entries[start:stop].tobytes() for start, stop in pairwise(rows.indptr)]
