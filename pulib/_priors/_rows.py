"""Validate rows for estimates of π: numbers, or rows that the classifier accepts (frames, texts)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_consistent_length, check_X_y, get_tags, indexable

from pulib._columns import column_with, columns_of_times, named_columns, refuse_precomputed
from pulib._frames import ordered_categories, with_ranks
from pulib._labels import is_missing

_ENCODE = (
    "classifier=make_pipeline(make_column_transformer((OneHotEncoder(handle_unknown='ignore'), [{column!r}]), "
    "remainder='passthrough'), LogisticRegression())"
)


def check_rows(X: Any, positive: np.ndarray, classifier: Any, *, missing: bool, scored: bool) -> Any:
    """Validate numbers, leave other rows to the classifier, and return rows that can be indexed.

    Rows are an array, a sparse matrix, a frame or a sequence.  ``missing`` says whether NaN is allowed, and ``scored`` whether
    the method uses a classifier.  Without a classifier, rows that are not numbers raise an error that names the column.  So
    does a classifier that expects a precomputed matrix between rows.
    """
    if scored and classifier is not None:
        refuse_precomputed(classifier, "an estimate of π")
    if hasattr(X, "collect") and not hasattr(X, "shape"):
        raise TypeError(f"X is a {type(X).__name__}, which has not been collected; pass X.collect().")
    if scored and classifier is not None and not _is_numeric(X):
        check_consistent_length(X, positive)
        return indexable(X)[0]
    sparse_formats = ["csr"] if not scored or accepts_sparse(classifier) else False
    finite = "allow-nan" if missing else True
    X = with_ranks(X, ordered_categories(X))
    try:
        rows = check_X_y(X, positive, accept_sparse=sparse_formats, dtype="numeric", ensure_all_finite=finite)[0]
        return rows.astype(np.float64) if rows.dtype.kind == "O" else rows  # such as dates with a time zone
    except (TypeError, ValueError) as error:
        times = columns_of_times(X, "an estimate of π")
        if times:
            raise ValueError(times) from error
        remedy = _remedy(X, error)
        if not remedy:
            raise
        method = "" if scored else ", and method='best_bin', which uses a classifier"
        raise ValueError(f"{remedy}{method}.") from error


def _is_numeric(X: Any) -> bool:
    """Whether rows are a matrix, or a list of rows, of numbers."""
    if sparse.issparse(X):
        return True
    if hasattr(X, "columns") or hasattr(X, "iloc") or hasattr(X, "to_list"):
        return False
    try:
        values = np.asarray(X)
    except ValueError:  # rows of different lengths: the check raises a clearer error
        return True
    return values.dtype.kind in "biufc" or (values.size == 0) or (values.ndim != 1 and values.dtype.kind not in "OUST")


def _remedy(X: Any, error: Exception) -> str:
    """Return a remedy for rows that are not numbers; an empty string if the error has another cause."""
    if np.ndim(X) == 1 or (not hasattr(X, "columns") and np.asarray(X).ndim == 1):
        first = next(iter(X), None)
        if isinstance(first, str):
            return (
                f"X contains texts ({first[:40]!r}), which need a classifier that takes them. Pass "
                "classifier=make_pipeline(TfidfVectorizer(), LogisticRegression())"
            )
    column, example = column_with(X, str)
    if column is None or "convert string" not in str(error):
        return ""
    return f"X's column {column!r} contains text ({example!r}), which needs a classifier that takes it. Pass " + _ENCODE.format(
        column=column
    )


def fit_named(classifier: Any, X: Any, y: np.ndarray, **params: Any) -> Any:
    """Fit a classifier; errors name the column that causes them and a remedy."""
    return named_columns(lambda _, rows: classifier.fit(rows, y, **params), classifier, X)


def group_numbers(groups: Any, positive: np.ndarray) -> np.ndarray:
    """Number groups of any values from 0; a wrong number of values, or a missing one, raises an error.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._priors._rows import group_numbers
    >>> group_numbers(["Ann", "Bo", "Ann"], np.array([True, False, True]))
    array([0, 1, 0])
    """
    values = np.asarray(groups)
    if values.shape != positive.shape:
        raise ValueError(f"groups has the shape {values.shape}; expected one value for each of the {len(positive)} rows.")
    lacking = next((row for row, value in enumerate(values.tolist()) if is_missing(value)), None)
    if lacking is not None:
        raise ValueError(f"groups has no value for row {lacking}; give such rows a group of their own, or leave them out.")
    number: dict[Any, int] = {}
    return np.array([number.setdefault(value, len(number)) for value in values.tolist()], dtype=np.intp)


def accepts_sparse(classifier: Any) -> bool:
    """Whether the classifier (None: the default) accepts sparse input."""
    return classifier is None or get_tags(classifier).input_tags.sparse


def accepts_missing(classifier: Any) -> bool:
    """Whether the classifier (None: the default) accepts NaN."""
    return classifier is None or get_tags(classifier).input_tags.allow_nan
