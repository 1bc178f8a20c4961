"""Find a column that separates labeled from unlabeled rows, and convert rows of any kind to columns with comparable ranks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from pulib._columns import columns_of
from pulib._labels import is_missing

#: With fewer labeled or unlabeled rows than this, a column may separate them by chance.
_LEAST = 5
#: Maximum levels of a category, and minimum rows per level on average; a column with fewer is an id.
_MOST_LEVELS, _ROWS_OF_A_LEVEL = 50, 5
#: Maximum number of words, or of columns of sparse rows, to compare.
_MOST_WORDS = 500


def separating_column(X: Any, positive: np.ndarray) -> Any:
    """Name or number of the first column that separates labeled from unlabeled rows, or None.

    A column separates by a threshold, by missing values, or by categories that occur in only one kind of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._priors._columns import separating_column
    >>> positive = np.arange(40) < 10
    >>> separating_column(np.c_[np.arange(40) % 7, np.where(positive, 3, 1)], positive)
    1
    """
    if min(positive.sum(), (~positive).sum()) < _LEAST:
        return None
    if sparse.issparse(X):
        labeled, unlabeled = (np.bincount(X[side].indices, minlength=X.shape[1]) for side in (positive, ~positive))
        full, empty = (labeled == positive.sum()) & (unlabeled == 0), (labeled == 0) & (unlabeled == (~positive).sum())
        found = np.flatnonzero(full | empty)
        return int(found[0]) if len(found) else None
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "biuf":
        first = X[np.argmax(positive)]
        suspects = ~(X[~positive] == first).any(axis=0)  # no unlabeled row has the value of the first labeled one
        return next((int(j) for j in np.flatnonzero(suspects) if _separates(X[:, j], positive)), None)
    return next((name for name, column in columns_of(X) or [] if _separates(column, positive)), None)


def _separates(column: np.ndarray, positive: np.ndarray) -> bool:
    """Whether labeled and unlabeled rows share no values, and the column is not an id."""
    missing = np.isnan(column) if column.dtype.kind == "f" else np.array([is_missing(value) for value in column.tolist()])
    if missing.any():
        share = missing[positive].mean(), missing[~positive].mean()
        return sorted(share) == [0.0, 1.0]
    p, u = column[positive], column[~positive]
    if column.dtype.kind in "biuf" and (p.min() > u.max() or p.max() < u.min()):
        return True
    levels = set(p.tolist()), set(u.tolist())
    return len(levels[0] | levels[1]) * _ROWS_OF_A_LEVEL <= len(column) and not levels[0] & levels[1]


class Columns(NamedTuple):
    """Rows as numbers, with the name of each column and its number in X."""

    rows: np.ndarray
    names: list[Any]
    numbers: list[int]


def comparable(X: Any, rows: np.ndarray) -> Columns:
    """Convert some of the rows to numbers with comparable ranks.

    Each level of a category becomes an indicator named "column=level".  Texts and sparse rows keep their most frequent words or
    columns; free text and ids are left out.  Missing values rank first.
    """
    if sparse.issparse(X):
        some = X[rows]
        count = np.bincount(some.indices, minlength=X.shape[1])
        often = np.sort(np.argsort(-count, kind="stable")[:_MOST_WORDS])
        return Columns(some[:, often].toarray(), often.tolist(), often.tolist())
    columns = columns_of(X)
    if columns is None:
        texts = [str(text) for text in np.asarray(X, dtype=object)[rows]]
        words = CountVectorizer(max_features=_MOST_WORDS, binary=True)
        if not any(map(words.build_analyzer(), texts)):
            return Columns(np.empty((0, 0)), [], [])
        counts = words.fit_transform(texts).toarray()
        return Columns(counts, words.get_feature_names_out().tolist(), list(range(counts.shape[1])))
    if isinstance(X, np.ndarray) and X.dtype.kind in "biuf":
        some = X[rows]
        if some.dtype.kind == "f" and np.isnan(some).any():
            some = np.column_stack([_missing_first(column, np.isnan(column)) for column in some.T])
        return Columns(some, list(range(X.shape[1])), list(range(X.shape[1])))
    parts, names, numbers = [], [], []
    for j, (name, column) in enumerate(columns):
        for label, values in _as_ranked(X, name, column[rows]):
            parts.append(values)
            names.append(label)
            numbers.append(j)
    return Columns(np.column_stack(parts) if parts else np.empty((0, 0)), names, numbers)


def _as_ranked(X: Any, name: Any, values: np.ndarray) -> list[tuple[Any, np.ndarray]]:
    """Convert a column to numbers, or to indicators of its levels."""
    if values.dtype.kind in "mM":
        return [(name, _missing_first(values.astype("int64").astype(float), np.isnat(values)))]
    missing = np.array([is_missing(value) for value in values.tolist()], dtype=bool)
    known = values[~missing].tolist()
    order: Any = getattr(getattr(X, "dtypes", {}), "get", lambda _: None)(name)
    if getattr(order, "ordered", False):
        rank = {category: float(place) for place, category in enumerate(order.categories)}
        return [(name, _missing_first([rank.get(value, 0.0) for value in values.tolist()], missing))]
    if all(isinstance(value, (int, float, bool)) for value in known):
        return [(name, _missing_first([0.0 if lacks else v for v, lacks in zip(values, missing, strict=True)], missing))]
    levels = sorted({str(value) for value in known})
    if len(levels) > _MOST_LEVELS:
        return []
    texts = np.array([None if lacks else str(v) for v, lacks in zip(values, missing, strict=True)], dtype=object)
    return [(f"{name}={level}", (texts == level).astype(float)) for level in levels]


def _missing_first(values: Any, missing: np.ndarray) -> np.ndarray:
    """Convert values to floats, with missing ones below all others."""
    values = np.asarray(values, dtype=np.float64)
    known = values[~missing]
    return np.where(missing, known.min(initial=np.inf) - 1.0 if len(known) else 0.0, values)
