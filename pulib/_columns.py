"""Errors that name the column of X that prevents a fit, and the remedy."""

from __future__ import annotations

import re
from datetime import date, timedelta
from types import UnionType
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from pulib._sizes import check_sizes

_TIMES = date | timedelta | np.datetime64 | np.timedelta64


def named_columns(check: Any, estimator: Any, X: Any, *args: Any, **params: Any) -> Any:
    """Return ``check(estimator, X, ...)``; errors name the column and the remedy."""
    name = type(estimator).__name__
    if hasattr(X, "collect") and not hasattr(X, "shape"):
        raise TypeError(f"X is a {type(X).__name__}, which contains no rows yet; pass X.collect() to {name}.")
    try:
        return check(estimator, X, *args, **params)
    except (TypeError, ValueError) as error:
        if "contains NaN." in str(error) or "too large for dtype('float64')" in str(error):
            try:  # a scaler, for example, may turn large finite values into NaN or infinity
                check_finite_sizes(X, estimator)
            except ValueError as too_large:
                raise too_large from error
        if "contains NaN." in str(error):
            raise ValueError(
                f"Input X contains NaN, which {name} does not take. Fill missing values before: "
                f"make_pipeline(SimpleImputer(), {name}(...)), or leave the rows out; PUExtraTreesClassifier and "
                "AdaPUClassifier read NaN as a missing value."
            ) from error
        if "too large for dtype('float32')" in str(error):
            size = _greatest(X)
            if np.isfinite(size):
                raise ValueError(
                    f"X contains values as large as {size:.3g}; {name} works in single precision, which ends at 3.4e+38. Where "
                    "such a value stands for a missing one, replace it; otherwise scale the features: "
                    f"make_pipeline(MaxAbsScaler(), {name}(...))."
                ) from error
        times = columns_of_times(X, name)
        if times:
            raise ValueError(times) from error
        found = re.search("could not convert string to float: '(.*)'", str(error))
        column, example = column_with(X, str, found and found[1]) if "could not convert string" in str(error) else (None, None)
        if column is None:
            raise
        raise ValueError(
            f"X's column {column!r} contains text ({example!r}); {name} needs numbers. Encode it first: "
            f"make_pipeline(make_column_transformer((OneHotEncoder(handle_unknown='ignore'), [{column!r}]), "
            f"remainder='passthrough'), {name}(...))"
        ) from error


def columns_of_times(X: Any, who: str) -> str:
    """Return a message that names columns of dates or durations and the remedy; empty if there are none."""
    found = {}
    for name, column in columns_of(X) or []:
        values = () if column.dtype.kind in "biufSU" else column
        example = next((value for value in values if isinstance(value, _TIMES) or type(value).__name__ == "Period"), None)
        if example is not None:
            found[name] = example
    if not found:
        return ""
    name, example = next(iter(found.items()))
    which = f"column {name!r} contains" if len(found) == 1 else f"columns {', '.join(map(repr, found))} contain"
    return (
        f"X's {which} dates or durations ({example}); {who} needs numbers. Use the numbers that matter before: the weekday, or "
        f"days since a date ((X[{name!r}] - start) / np.timedelta64(1, 'D'))."
    )


def refuse_precomputed(estimator: Any, who: str) -> None:
    """Raise an error if an estimator expects a precomputed matrix between all rows, since rows will be selected."""
    if get_tags(estimator).input_tags.pairwise:
        raise ValueError(
            f"{type(estimator).__name__} takes a precomputed matrix between all rows, and {who} fits it to some of them. Pass "
            "features, and an estimator that computes its kernel or distances from these."
        )


def check_finite_sizes(X: Any, estimator: Any) -> None:
    """Apply :func:`pulib._sizes.check_sizes` to unvalidated rows; ignore values that are not finite numbers."""
    numbers = X.select_dtypes("number") if hasattr(X, "select_dtypes") else X
    if not np.isfinite(_greatest(numbers)):
        return
    rows = numbers if hasattr(numbers, "tocsr") else np.asarray(numbers, dtype=np.float64)
    if rows.ndim == 2:
        check_sizes(rows, estimator, names=list(numbers.columns) if hasattr(numbers, "columns") else range(rows.shape[1]))


def _greatest(X: Any) -> float:
    """Greatest absolute value, in double precision; NaN if there is none."""
    try:
        values = np.asarray(X.data if hasattr(X, "indptr") else X, dtype=np.float64)
        return float(np.max(np.abs(values)))
    except (TypeError, ValueError):
        return np.nan


def columns_of(X: Any) -> list[tuple[Any, np.ndarray]] | None:
    """Names and values of the columns of a frame or a matrix; None if rows have no columns."""
    if hasattr(X, "columns"):
        return [(name, np.asarray(X[name])) for name in X.columns]
    try:
        values = np.asarray(X)
    except ValueError:  # rows of different lengths
        return None
    return [(j, values[:, j]) for j in range(values.shape[1])] if values.ndim == 2 else None


def column_with(X: Any, kind: type | UnionType, wanted: Any = None) -> tuple[Any, Any]:
    """Return the first column that contains ``wanted``, or else any value of ``kind``, and that value."""
    found: tuple[Any, Any] = (None, None)
    for name, column in columns_of(X) or []:
        of_kind = [] if column.dtype.kind in "biuf" else [value for value in column if isinstance(value, kind)]
        if wanted in of_kind:
            return name, wanted
        if of_kind and found[0] is None:
            found = name, of_kind[0]
    return found
