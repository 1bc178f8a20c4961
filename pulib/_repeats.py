"""Detection of repeated rows: several nearly equal rows of one patient, place or product.

Such siblings fall into several folds, or both in and out of a tree's bag, so that models score rows whose siblings they have
memorized.  Exactly equal rows are ignored here: discrete features have them by nature, and :mod:`pulib._equal_rows` keeps
copies together.

For independent rows, the distance to the k-th neighbor grows slowly with k: in D dimensions, D k times the logarithm of the
ratio of the (k+1)-th to the k-th distance is exponentially distributed with mean 1.  A row with siblings has a gap after the
last of them.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.utils import _safe_indexing, indexable

from pulib._labels import is_missing

#: Number of rows whose neighbors are sought, number of rows to search, and size of the blocks sampled from larger data
#: (siblings tend to be close to each other in a file).
_ASKED, _AMONG, _BLOCK = 200, 50_000, 64
#: Number of neighbors to inspect; at most half of them can be siblings.
_NEIGHBORS = 40
#: Number of random projections that select candidates, and number of candidates, for which distances are exact.
_DIRECTIONS, _CANDIDATES = 16, 120
#: Least factor by which distances grow at a gap (larger for sparse rows: a reply that quotes a text is not its sibling), least
#: value of the exponential statistic at a gap, and least share of rows with a gap.  Of 16 public and a dozen generated data
#: sets without families, none exceeds a share of 0.1; spam campaigns and the shuttle's second-by-second readings do.
_GAP, _GAP_OF_SPARSE, _BEYOND_CHANCE, _SHARE = 1.3, 2.0, 6.0, 0.15
_MOST_DIMENSIONS = 30.0
#: Columns with more distinct values than this are inspected.  Others are left out: rows with the same combination of categories
#: are not siblings.  Nor are rows with the same zeros: columns in which a value has at least this share are left out, too,
#: unless rows have this many other values on average.
_FEW_VALUES, _COMMON, _UNCOMMON_VALUES = 20, 0.25, 4.0
#: Number of rows that set the scale of the columns.
_SCALED_BY = 2_000
_BLOCK_BYTES = 64 << 20
#: Rounding error of squared distances of sparse rows, relative to the largest.
_ROUNDING = 1e-12
_LEAST_ROWS = 12


class Repeats(NamedTuple):
    """Share of the inspected rows that have siblings, and median size of their families."""

    share: float
    size: float


def find_repeats(X: Any, positive: np.ndarray, *, seed: int = 0) -> Repeats | None:
    """Look for near-duplicates of 100 labeled and 100 unlabeled rows among at most 50,000 rows, labeled rows first.

    Parameters
    ----------
    X : array, sparse matrix, frame, or sequence of texts, of n_samples rows
    positive : bool array of shape (n_samples,)
    seed : int

    Returns
    -------
    repeats : Repeats or None

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._repeats import find_repeats
    >>> rng = np.random.default_rng(0)
    >>> patients = rng.normal(size=(60, 4))
    >>> find_repeats(patients, np.arange(60) < 20) is None
    True
    >>> visits = np.repeat(patients, 3, axis=0) + rng.normal(0, 0.01, size=(180, 4))
    >>> find_repeats(visits, np.arange(180) < 60)
    Repeats(share=1.0, size=3.0)
    """
    rng = np.random.RandomState(seed)
    kept, asked = _rows_to_compare(np.asarray(positive, bool), rng)
    rows = _numbers(_safe_indexing(indexable(X)[0], kept))
    if rows is None or rows.shape[0] < _LEAST_ROWS:
        return None
    return _judge(_distances_of_neighbors(rows, asked, rng), _GAP_OF_SPARSE if sparse.issparse(rows) else _GAP)


def takes_many_values(X: Any) -> bool:
    """Whether some feature takes many values (as texts and sparse rows do), so that rows are rarely equal by nature."""
    return _numbers(X) is not None


def _rows_to_compare(positive: np.ndarray, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to search, and the positions in them of the rows whose neighbors are sought."""
    kept, asked, n = [], [], 0
    for side in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        room = max(_AMONG - n, _AMONG // 2)
        if len(side) > room:
            blocks = rng.permutation(-(-len(side) // _BLOCK))[: room // _BLOCK]
            side = side[np.isin(np.arange(len(side)) // _BLOCK, blocks)]
        kept.append(side)
        asked.append(n + rng.permutation(len(side))[: _ASKED // 2])
        n += len(side)
    return np.concatenate(kept), np.concatenate(asked)


def _numbers(X: Any) -> Any:
    """Return rows with meaningful distances, as float32 or a sparse matrix; None if there are no such columns.

    Columns with many values get unit variance; texts and sparse rows get unit length.
    """
    if not sparse.issparse(X) and not hasattr(X, "columns"):
        X = np.asarray(X)
        if X.ndim == 1 and X.dtype.kind in "OUT":
            X = HashingVectorizer(n_features=1 << 18, norm=None).transform([str(text) for text in X])
    if sparse.issparse(X):
        rows = sparse.csr_array(X, dtype=np.float32)
        rows.data = np.nan_to_num(rows.data)
        length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        return sparse.csr_array(sparse.diags_array(1.0 / np.where(length > 0, length, 1.0), dtype=np.float32) @ rows)
    if hasattr(X, "columns"):
        columns = [np.asarray(X[name]) for name in X.columns]
    elif X.ndim != 2:
        return None
    elif X.dtype.kind in "biuf":
        return _standardized(X)
    else:
        columns = list(X.T)
    numbers = [column for column in map(_as_numbers, columns) if column is not None]
    return _standardized(np.column_stack(numbers)) if numbers else None


def _standardized(values: np.ndarray) -> np.ndarray | None:
    """Return the columns with many values, standardized by a sample of the rows; missing values are 0."""
    some = values[:: -(-len(values) // _SCALED_BY)].astype(np.float64)
    ordered = np.sort(some, axis=0)
    span = max(1, int(_COMMON * len(some)))
    ties = ordered[span:] == ordered[:-span]
    common = np.where(ties.any(axis=0), np.take_along_axis(ordered, ties.argmax(axis=0)[None], axis=0)[0], np.nan)
    many = np.count_nonzero(ordered[1:] > ordered[:-1], axis=0) >= _FEW_VALUES
    if (some[:, many] != common[many]).sum() < _UNCOMMON_VALUES * len(some):
        many &= np.isnan(common)
    many = np.flatnonzero(many)
    if not len(many):
        return None
    some, values = some[:, many], values if len(many) == values.shape[1] else values[:, many]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        center, spread = np.nanmean(some, axis=0), np.nanstd(some, axis=0)
        scaled = (values - center.astype(np.float32)) * (1.0 / spread).astype(np.float32)
    return np.nan_to_num(scaled.astype(np.float32, copy=False), copy=False, nan=0.0, posinf=0.0, neginf=0.0)


def _as_numbers(column: np.ndarray) -> np.ndarray | None:
    """Return a column of a frame as floats; None if it contains other values."""
    if column.dtype.kind in "mM":
        return np.where(np.isnat(column), np.nan, column.astype("int64").astype(float))
    if column.dtype.kind in "biuf":
        return column.astype(float)
    values = column.tolist()
    if not all(is_missing(value) or isinstance(value, Real) for value in values):
        return None
    return np.array([np.nan if is_missing(value) else float(value) for value in values])


def _distances_of_neighbors(rows: Any, asked: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Return the distances above 0 from the ``asked`` rows to their nearest neighbors, in order, padded with NaN."""
    n, d = rows.shape
    n_neighbors, n_candidates = min(_NEIGHBORS, n // 2), min(_CANDIDATES, n - 1)
    places = rows
    if d > _DIRECTIONS or sparse.issparse(rows):
        places = rows @ rng.standard_normal(size=(d, _DIRECTIONS)).astype(np.float32)
    squares = np.einsum("ij,ij->i", places, places)
    distances = np.full((len(asked), n_neighbors), np.nan)
    step = max(1, _BLOCK_BYTES // (4 * n))
    for start in range(0, len(asked), step):
        some = asked[start : start + step]
        squared = squares - 2.0 * places[some] @ places.T
        for place, near in enumerate(np.argpartition(squared, n_candidates, axis=1)[:, : n_candidates + 1], start):
            exact = _exact_distances(rows, asked[place], near)[:n_neighbors]
            distances[place, : len(exact)] = exact
    return distances


def _exact_distances(rows: Any, row: int, near: np.ndarray) -> np.ndarray:
    """Return the distances from a row to some rows, in order, without equal rows; equal dense neighbors count once."""
    if sparse.issparse(rows):
        own = rows[[row]].toarray().ravel().astype(np.float64)
        some = rows[near].astype(np.float64)
        squares = np.asarray(some.multiply(some).sum(axis=1)).ravel() + own @ own - 2.0 * (some @ own)
        squares[squares <= _ROUNDING * max(float(squares.max()), 1e-300)] = 0.0
    else:
        squares = ((rows[near].astype(np.float64) - rows[row]) ** 2).sum(axis=1)
    distances = np.sqrt(np.sort(squares[squares > 0]))
    return distances if sparse.issparse(rows) else distances[np.diff(distances, prepend=0.0) > 1e-5 * distances]


def _judge(distances: np.ndarray, gap: float) -> Repeats | None:
    """Return the repeats if enough rows have a gap in their neighbors' distances that chance does not explain."""
    distances = distances[np.isfinite(distances).all(axis=1)]
    if len(distances) < 4:
        return None
    steps = np.log(distances[:, 1:] / distances[:, :-1])  # after neighbors k = 1, 2, ...
    k = np.arange(1, steps.shape[1] + 1)
    far = k > len(k) // 2  # too many to be siblings
    dimensions = min(1.0 / max(float(np.median((k * steps)[:, far].mean(axis=1))), 1e-6), _MOST_DIMENSIONS)
    beyond = np.where((steps >= np.log(gap)) & ~far, dimensions * k * steps, 0.0)
    gaps = beyond.max(axis=1) >= _BEYOND_CHANCE
    if gaps.mean() < _SHARE:
        return None
    return Repeats(float(gaps.mean()), float(np.median(1 + k[beyond.argmax(axis=1)[gaps]])))
