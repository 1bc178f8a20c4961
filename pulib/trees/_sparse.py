"""Sparse matrices for the trees: columns as codes of 1, 8 or 16 bits, a few at a time; rows to be scored, a few at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from pulib._compiled import frozen
from pulib._memory import check_room
from pulib._missing import missing_columns
from pulib.trees._data import FLOAT, Data, holds_codes, lay_out, prepare_data, rank_columns

#: Rows that are scored are made dense, or put in order, so many bytes at a time.
_PART_BYTES = 16 << 20
_REMEDY = (
    "Take fewer columns (SelectKBest, TruncatedSVD, or a greater min_df of a vectorizer) or rows, or a learner that works on "
    "the non-zeros: UnbiasedPUClassifier, OnlinePUClassifier."
)


def prepare_sparse(X: Any, *, missing: bool = False) -> Data:
    """Lay out a sparse matrix for the kernels, which read dense codes; floats where a column has too many values for codes.

    Raises
    ------
    MemoryError
        If that does not fit into memory; before any of it is asked for.
    """
    (n, d), size = X.shape, X.dtype.itemsize
    what = f"A forest on {n:,} x {d:,} sparse values, which keeps dense codes,"
    check_room(2.0 * n * d, what, _REMEDY)
    X = sparse.csc_array(X)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if X.dtype == np.uint8 or holds_codes(frozen(X.data[None, :])):
        return prepare_data(X.astype(np.uint8).toarray())
    marks = None
    if missing:
        marks = np.where(missing_columns(X), 0, -1).astype(np.int32)
    ranked = rank_columns(X, marks)
    n_floats = int(np.count_nonzero(ranked.kind == FLOAT))
    check_room(2.0 * n * (n_floats * size + d - n_floats), what, _REMEDY)
    return lay_out(X, ranked, marks)


def dense_parts(X: Any) -> Iterator[tuple[slice, np.ndarray]]:
    """Rows as read-only C-ordered arrays: all at once where they are in that order, else part by part."""
    if not sparse.issparse(X) and X.flags.c_contiguous:
        yield slice(None), frozen(X)
        return
    step = max(1, _PART_BYTES // (X.shape[1] * X.dtype.itemsize))
    for start in range(0, X.shape[0], step):
        part = slice(start, start + step)
        yield part, frozen(X[part].toarray() if sparse.issparse(X) else np.ascontiguousarray(X[part]))
