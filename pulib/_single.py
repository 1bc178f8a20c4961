"""Features whose values become equal in single precision, in which scikit-learn's trees work.

Its 24 bits represent seconds since 1970 only to the nearest 128.  Centering such features preserves the digits that differ;
other features are not changed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from pulib._columns import named_columns
from pulib._warnings import issue_warning

#: Number of evenly spread rows to inspect.
_ROWS_INSPECTED = 10_000
#: Tolerated share of pairs of different values that become equal: that of 255 bins, as in scikit-learn's histogram trees.
_LARGEST_MERGED_SHARE = 1 / 255
#: Types for validation before centering: single precision only if given.
WIDE: list[Any] = [np.float64, np.float32]


def merged_columns(X: Any) -> np.ndarray:
    """Indices of the columns in which single precision merges different values.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._single import merged_columns
    >>> seconds = np.arange(10.0)
    >>> merged_columns(np.column_stack([seconds, seconds + 1.7e9]))
    array([1])
    """
    if getattr(X, "dtype", None) != np.float64:
        return np.empty(0, dtype=np.intp)
    rows = (X.tocsr() if sparse.issparse(X) else X)[:: max(1, X.shape[0] // _ROWS_INSPECTED)]
    if sparse.issparse(rows):
        large = np.unique(rows.indices[np.abs(rows.data) > 1 / np.finfo(np.float32).eps])  # few, if any
        return large[merged_columns(rows[:, large].toarray())] if len(large) else np.empty(0, dtype=np.intp)
    half = len(rows) // 2  # pairs rows that are far apart, even in sorted data
    one, other = rows[:half], rows[half : 2 * half]
    with np.errstate(over="ignore", invalid="ignore"):
        a, b = one.astype(np.float32), other.astype(np.float32)
        differ = (one != other) & np.isfinite(a) & np.isfinite(b)  # numbers that overflow raise an error elsewhere
        merged = differ & (a == b)
    return np.flatnonzero(merged.sum(axis=0) > np.maximum(1, _LARGEST_MERGED_SHARE * differ.sum(axis=0)))  # one is chance


def centers_for_single(X: Any) -> np.ndarray | None:
    """Return what to subtract from the columns of dense rows before conversion; None if conversion loses nothing."""
    columns = np.empty(0) if sparse.issparse(X) else merged_columns(X)
    if not len(columns):
        return None
    centers = np.zeros(X.shape[1])
    centers[columns] = np.nanmedian(X[:: max(1, len(X) // _ROWS_INSPECTED), columns], axis=0)
    return centers


def to_single(X: Any, centers: np.ndarray | None, estimator: Any, **params: Any) -> Any:
    """Return validated rows minus ``centers`` in single precision; numbers that overflow raise an error."""
    if X.dtype == np.float32 and centers is None:
        return X
    rows = X if centers is None else X - centers
    return named_columns(lambda _, given: check_array(given, dtype=np.float32, **params), estimator, rows)


class SingleMixin:
    """Mixin that converts rows to single precision, for learners with trees; comes before PUClassifierMixin."""

    _centers: np.ndarray | None = None

    def _fit_single(self, X: Any, **params: Any) -> Any:
        """Convert training rows validated as ``WIDE``, in C order."""
        self._centers = centers_for_single(X)
        rows = to_single(X, self._centers, self, order="C", **params)
        if sparse.issparse(X) or self._centers is not None:
            warn_of_single(X if sparse.issparse(X) else X - self._centers, self, type(self).__name__)
        return rows

    def _in_place(self, X: Any) -> Any:
        """Return rows with their centers added back."""
        return X if self._centers is None else X + self._centers

    def _validate_single(self, X: Any, **params: Any) -> Any:
        rows = self._validate_predict(X, dtype=WIDE, **params)  # type: ignore[attr-defined]
        return to_single(rows, self._centers, self, order="C", **params)


def warn_of_single(X: Any, estimator: Any, who: str) -> None:
    """Warn if values of a feature become equal in single precision, to which ``who`` converts rows."""
    values = X.to_numpy() if hasattr(X, "to_numpy") else X
    if getattr(values, "dtype", np.dtype(object)).kind in "iu":
        values = values.astype(np.float64)
    if getattr(values, "ndim", 0) != 2:
        return
    columns = merged_columns(values)
    if not len(columns):
        return
    names = getattr(X, "columns", getattr(estimator, "feature_names_in_", None))
    name = int(columns[0]) if names is None else names[columns[0]]
    issue_warning(
        f"Different values of feature {name!r} become equal in single precision, in which {who} works. Subtract its mean "
        f"before, in double precision: make_pipeline(StandardScaler(), {type(estimator).__name__}(...))."
    )
