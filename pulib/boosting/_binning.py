"""Integer codes of the features, so that a round of boosting reads small integers and never sorts.

Code k of a feature means "at most ``edges[k]`` and more than ``edges[k - 1]``".  Without ``max_bins``, every distinct value has
its own code and nothing is lost.  Codes take one byte each if no feature has more than 256 distinct values.

Empty columns of a sparse matrix are constant and have no codes, so that a wide matrix costs only its values.

A feature with missing values has two columns of codes.  In the first, missing values have a code below all others.  In the
second, which follows the columns of all features, their code is above all others.  Stumps on the first send missing values
left, stumps on the second right.

Bounded by memory while columns are gathered from a C-ordered array, and by NumPy's sort; both release the interpreter lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from pulib._compiled import kernel
from pulib._memory import check_room
from pulib._weights import of_rows

#: Rows are padded to a multiple of ROW_BLOCK, features to a multiple of FEATURE_GROUP: whole vectors, whole groups.
ROW_BLOCK = 64
FEATURE_GROUP = 8
#: Columns that are gathered from ``X`` at once: one cache line of float32.
_COLUMNS = 16
_LINE = 64
#: Rows that are searched together.
_SEARCHED = 512


@dataclass(frozen=True)
class CodedData:
    """Coded training rows; arrays with an entry per column of codes are padded."""

    codes: np.ndarray  # uint8, uint16 or uint32, (n_features padded, n_rows padded), aligned to 64 bytes; padding has code 0
    n_rows: int
    n_features: int
    source: np.ndarray  # feature of each column: all features with codes, then those with missing values again
    n_once: int  # number of columns before the repeated features
    skipped: np.ndarray  # number of features without codes between each column and the previous one
    n_codes: np.ndarray  # of each feature; 1 if it is constant
    edges: np.ndarray  # those of feature f are edges[starts[f] : starts[f + 1]], ascending
    starts: np.ndarray
    exact: np.ndarray  # whether a feature's edges are its distinct values
    low: np.ndarray  # low to high: the range of random thresholds; equal if there is none
    high: np.ndarray

    def threshold_between(self, feature: int, code: int) -> float:
        """Threshold between codes up to ``code`` and those above: halfway between distinct values, or the bin's edge."""
        first = self.starts[feature] + code
        below, above = self.edges[first], self.edges[first + 1]
        if np.isinf(below) or np.isinf(above):  # missing values against all others
            return float(below if np.isinf(below) else above)
        if not self.exact[feature]:
            return float(below)
        middle = below + (above - below) / 2
        return float(middle if below <= middle < above else below)


def aligned_zeros(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Zeros that start at a cache line, so that no vector load crosses two."""
    n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    buffer = np.zeros(n_bytes + _LINE, np.uint8)
    start = -buffer.ctypes.data % _LINE
    return buffer[start : start + n_bytes].view(dtype).reshape(shape)


def padded(count: int, multiple: int) -> int:
    """Round ``count`` up to a multiple of ``multiple``."""
    return -(-count // multiple) * multiple


def equal_width_edges(low: float, high: float, max_bins: int) -> np.ndarray:
    """Upper edges of bins of equal width from ``low`` to ``high``."""
    shares = np.arange(1, max_bins + 1) / max_bins
    width = float(high) - float(low)  # infinite, without a warning, if it overflows
    edges = low + width * shares if np.isfinite(width) else low * (1 - shares) + high * shares
    edges[-1] = high
    return np.unique(edges)


def quantile_edges(distinct: np.ndarray, counts: np.ndarray, max_bins: int) -> np.ndarray:
    """Upper edges of bins with about equally many rows, halfway between distinct values except for the last.

    ``counts`` are the numbers of rows with each value, or their total weights (a weight of 2 has the effect of two rows).
    """
    below = np.cumsum(counts)
    targets = below[-1] * (np.arange(1, max_bins) / max_bins)
    last = np.unique(np.minimum(np.searchsorted(below, targets), len(distinct) - 2))
    middle = distinct[last] + (distinct[last + 1] - distinct[last]) / 2
    middle = np.where(middle < distinct[last + 1], middle, distinct[last])
    return np.append(middle, distinct[-1])


@kernel
def encode_column(column, edges, out):
    """Set ``out[i]`` to the number of edges below ``column[i]``.

    A binary search without branches, which advances many rows together so that their loads do not wait for each other.
    """
    places = np.empty(_SEARCHED, np.int32)
    n = column.shape[0]
    for start in range(0, n, _SEARCHED):
        stop = min(start + _SEARCHED, n)
        part = column[start:stop]
        places[:] = 0
        length = edges.shape[0] - 1  # nothing lies above the last edge, the greatest value
        while length > 0:
            half = (length + 1) >> 1
            for i in range(part.shape[0]):
                places[i] += half if edges[places[i] + half - 1] < part[i] else 0
            length -= half
        for i in range(part.shape[0]):
            out[start + i] = places[i]


def encode(
    X: np.ndarray,
    order: np.ndarray,
    in_range: slice,
    *,
    max_bins: int | None,
    equal_width: bool,
    run: Callable[[Callable, Iterable], list],
    missing: np.ndarray | None = None,
    counts: np.ndarray | None = None,
) -> CodedData:
    """Encode the rows ``order`` of ``X``.

    Parameters
    ----------
    X : array, or sparse matrix by columns, of shape (n_samples, n_features)
    order : int array
        Rows in the order of their codes.
    in_range : slice
        Rows of ``order`` whose least and greatest values bound the random thresholds.
    max_bins : int or None
        Maximum number of codes of a feature; None for one per distinct value.
    equal_width : bool
        Whether bins, for features with more than ``max_bins`` distinct values, have equal width or about equally many rows.
    run : callable
        ``run(function, items)`` as ``list(map(function, items))``, perhaps in threads.
    missing : bool array of shape (n_features,), optional
        Features with NaN among their values.
    counts : array of shape (number of rows of ``order``,), optional
        Weights of the rows, for bins of about equally many rows.
    """
    source = _features_with_codes(X)
    n_once = len(source)
    place = source  # position among all possible columns
    if missing is not None:
        source = np.concatenate([source, np.flatnonzero(missing)])
        place = np.concatenate([place, X.shape[1] + np.arange(len(source) - n_once)])
    n_features = len(source)
    _check_room(X, (n_features, len(order)), np.uint8)
    blocks = [slice(start, min(start + _COLUMNS, n_features)) for start in range(0, n_features, _COLUMNS)]

    def gather(block: slice) -> np.ndarray:
        features = source[block]
        separate = block.stop > n_once or not (missing is None or not missing[features].any())
        all_of_them = n_once == X.shape[1] and block.stop <= n_once
        columns = _rows_of(X, order, block if all_of_them else features)
        return _separate_missing(columns, np.arange(block.start, block.stop) >= n_once) if separate else columns

    described = run(lambda block: _describe(gather(block), in_range, max_bins, equal_width, counts), blocks)
    columns = [column for block in described for column in block]
    most = max(len(edges) for edges, *_ in columns)
    dtype = np.uint8 if most <= 2**8 else np.uint16 if most <= 2**16 else np.uint32
    shape = (padded(n_features, FEATURE_GROUP), padded(len(order), ROW_BLOCK))
    _check_room(X, shape, dtype)
    codes = aligned_zeros(shape, dtype)

    def fill(block: slice) -> None:
        values = np.ascontiguousarray(gather(block), dtype=np.float64)
        for feature, column in zip(range(block.start, block.stop), values, strict=True):
            encode_column(column, columns[feature][0], codes[feature, : len(order)])

    run(fill, blocks)
    n_codes = np.ones(shape[0], np.int64)
    n_codes[:n_features] = [len(edges) for edges, *_ in columns]
    exact, low, high = np.ones(shape[0], bool), np.zeros(shape[0]), np.zeros(shape[0])
    for feature, (_, *facts) in enumerate(columns):
        exact[feature], low[feature], high[feature] = facts
    edges = np.concatenate([edges for edges, *_ in columns] + [np.zeros(shape[0] - n_features)])
    starts = np.concatenate([[0], np.cumsum(n_codes)])
    skipped = np.zeros(shape[0], np.int64)
    skipped[:n_features] = np.diff(place, prepend=-1) - 1
    return CodedData(codes, len(order), n_features, source, n_once, skipped, n_codes, edges, starts, exact, low, high)


def _features_with_codes(X: Any) -> np.ndarray:
    """All features except empty columns of a sparse matrix, or the first feature if all are empty."""
    if not sparse.issparse(X):
        return np.arange(X.shape[1])
    some = np.flatnonzero(np.diff(X.indptr))
    return some if len(some) else np.arange(min(1, X.shape[1]))


def _check_room(X: Any, shape: tuple[int, ...], dtype: Any) -> None:
    """Raise an error if the dense codes of a sparse matrix do not fit into memory."""
    if sparse.issparse(X):
        check_room(
            float(np.prod(shape, dtype=np.float64)) * np.dtype(dtype).itemsize,
            f"Ada-PU on {X.shape[0]:,} x {X.shape[1]:,} sparse values, which keeps dense codes,",
            "Use fewer columns (SelectKBest, TruncatedSVD) or rows, fewer max_bins, or a learner that works on the non-zeros: "
            "UnbiasedPUClassifier, OnlinePUClassifier.",
        )


def _rows_of(X: Any, order: np.ndarray, columns: Any) -> np.ndarray:
    """``columns`` of the rows ``order``, transposed."""
    if sparse.issparse(X):
        return X[:, columns].toarray()[order].T
    return (X[order, columns] if isinstance(columns, slice) else X[np.ix_(order, columns)]).T


def _separate_missing(columns: np.ndarray, above: np.ndarray) -> np.ndarray:
    """Replace NaN by −infinity, or by infinity in the columns ``above``."""
    return np.where(np.isnan(columns), np.where(above, np.inf, -np.inf)[:, None], columns)


def _describe(
    block: np.ndarray, in_range: slice, max_bins: int | None, equal_width: bool, counts: np.ndarray | None = None
) -> list[tuple]:
    """Edges, whether they are exact, and the range of random thresholds, for each row of ``block``."""
    described = []
    small = block.dtype.kind in "iub" and block.dtype.itemsize <= 2  # float32 holds these exactly, and sorts ten times as fast
    for column in np.ascontiguousarray(block, dtype=np.float32 if small else None):
        present = np.isfinite(column)
        if not present.all():
            described.append(_describe_present(column, present, in_range, max_bins, equal_width, counts))
            continue
        inside = column[in_range]
        low, high = float(inside.min()), float(inside.max())
        ordered = np.sort(column)
        first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        edges, exact = ordered[first].astype(np.float64), True
        if max_bins is not None and len(edges) > max_bins:
            exact = False
            if equal_width:
                edges = equal_width_edges(edges[0], edges[-1], max_bins)
            elif counts is None:
                edges = quantile_edges(edges, np.diff(np.append(first, len(ordered))), max_bins)
            else:
                edges = quantile_edges(edges, np.add.reduceat(counts[np.argsort(column)], first), max_bins)
        described.append((edges, exact, low, high))
    return described


def _describe_present(
    column: np.ndarray, present: np.ndarray, in_range: slice, max_bins: int | None, equal_width: bool, counts: np.ndarray | None
) -> tuple:
    """As :func:`_describe`, for a column with infinity for missing values, which have their own edge."""
    own_edge = column[~present][:1].astype(np.float64)
    if not present.any():
        return own_edge, True, 0.0, 0.0
    of_unlabeled = column[in_range][present[in_range]]
    bins = None if max_bins is None else max(max_bins - 1, 1)
    ((edges, exact, _, _),) = _describe(column[present][None, :], slice(None), bins, equal_width, of_rows(counts, present))
    low, high = (float(of_unlabeled.min()), float(of_unlabeled.max())) if len(of_unlabeled) else (0.0, 0.0)
    if own_edge[0] > 0:
        return np.append(edges, own_edge), exact, low, high
    if low == high:  # one value: any threshold below it separates the rows that have it from the others
        low -= max(1.0, abs(low))
    return np.append(own_edge, edges), exact, low, high
