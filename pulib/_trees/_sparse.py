"""Sparse matrices for the trees: encode columns for training, and make blocks of rows dense for scoring."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from pulib._compiled import frozen
from pulib._memory import check_room
from pulib._missing import missing_columns
from pulib._trees._data import FLOAT, Data, holds_codes, lay_out, prepare_data, rank_columns
from pulib._trees._stored import stored_values
from pulib._trees._tree import Tree

#: Size of the blocks of rows that are made dense, or reordered, for scoring.
_PART_BYTES = 16 << 20
#: A matrix with more than _STORED_FROM columns and less than one non-zero per _STORED_SHARE values is stored by its non-zeros.
_STORED_FROM, _STORED_SHARE = 1 << 13, 20
_REMEDY = (
    "Use fewer columns (SelectKBest, TruncatedSVD, or a larger min_df of a vectorizer) or rows, or a learner that works on "
    "the non-zeros: UnbiasedPUClassifier, OnlinePUClassifier."
)


def prepare_sparse(X: Any, *, missing: bool = False) -> Data:
    """Lay out a sparse matrix for the kernels: dense codes, or dense floats for columns with too many values.

    If the dense copy would not fit in memory, raises a MemoryError before allocating it.  Wide matrices keep their non-zeros.
    """
    X = sparse.csc_array(X)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    integers = X.dtype == np.uint8 or holds_codes(frozen(X.data[None, :]))
    marks = np.where(missing_columns(X), 0, -1).astype(np.int32) if missing else None
    (n, d), size = X.shape, X.dtype.itemsize
    if d > _STORED_FROM and X.nnz * _STORED_SHARE < n * d:
        return _by_stored_values(X.astype(np.float64) if integers else X, marks)
    what = f"A forest on {n:,} x {d:,} sparse values, which keeps dense codes,"
    check_room(2.0 * n * d, what, _REMEDY)
    if integers:
        return prepare_data(X.astype(np.uint8).toarray(order="C"))
    ranked = rank_columns(X, marks)
    n_floats = int(np.count_nonzero(ranked.kind == FLOAT))
    check_room(2.0 * n * (n_floats * size + d - n_floats), what, _REMEDY)
    return lay_out(X, ranked, marks)


def _by_stored_values(X: Any, missing: np.ndarray | None) -> Data:
    """Lay out a float matrix in canonical CSC form by its non-zeros."""
    none = frozen(np.empty((0, 0), X.dtype))
    return Data(
        float_rows=none,
        float_columns=none,
        code_rows=None,
        wide_rows=None,
        wide_columns=None,
        narrow_columns=None,
        bit_columns=None,
        kind=np.full(X.shape[1], FLOAT, np.uint8),
        slot=np.zeros(1, np.uint32),
        table=None,
        table_start=None,
        first_narrow=0,
        first_bit=0,
        coded=None,
        floating=1,
        n_features=X.shape[1],
        row_limit=0,
        exact=0,
        single=int(X.dtype == np.float32),
        missing=missing,
        stored=stored_values(X),
    )


def select_columns(X: Any, trees: list[Tree]) -> tuple[Any, np.ndarray | None]:
    """Return the columns of a sparse matrix that some node tests, and their numbers; a dense ``X`` unchanged, and None."""
    if not sparse.issparse(X):
        return X, None
    used = np.unique(np.concatenate([tree.feature[tree.feature >= 0] for tree in trees]))
    used = used if len(used) else np.zeros(1, used.dtype)  # kernels need a column
    return X[:, used], used


def dense_parts(X: Any) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield blocks of rows as read-only C-ordered arrays; a single block if ``X`` already has that order."""
    if not sparse.issparse(X) and X.flags.c_contiguous:
        yield slice(None), frozen(X)
        return
    step = max(1, _PART_BYTES // (X.shape[1] * X.dtype.itemsize))
    for start in range(0, X.shape[0], step):
        part = slice(start, start + step)
        yield part, frozen(X[part].toarray(order="C") if sparse.issparse(X) else np.ascontiguousarray(X[part]))
