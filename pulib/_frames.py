"""Ordered text categories of data frames as ranks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pulib._labels import is_missing


def ordered_categories(X: Any) -> dict[Any, list[Any]]:
    """Ordered text categories of a pandas frame, by column; numeric categories need no ranks.

    Examples
    --------
    >>> import pandas as pd
    >>> from pulib._frames import ordered_categories
    >>> sizes = pd.Categorical(["low", "high"], categories=["low", "high"], ordered=True)
    >>> ordered_categories(pd.DataFrame({"size": sizes, "weight": [1.0, 2.0]}))
    {'size': ['low', 'high']}
    """
    return {
        name: list(dtype.categories)
        for name, dtype in _dtypes(X)
        if getattr(dtype, "ordered", False) and any(isinstance(category, str) for category in dtype.categories)
    }


def _dtypes(X: Any) -> Iterator[tuple[Any, Any]]:
    """Names and types of the columns, if they have types."""
    if hasattr(X, "columns") and hasattr(getattr(X, "dtypes", None), "items") and X.columns.is_unique:
        yield from X.dtypes.items()


def with_ranks(X: Any, categories: dict[Any, list[Any]]) -> Any:
    """Replace ordered text categories with ranks 0, 1, ..., and missing values with NaN; unknown categories raise an error."""
    present = [name for name in categories if hasattr(X, "columns") and name in X.columns]
    if not present:
        return X
    X = X.copy(deep=False)
    for name in present:
        rank = {category: float(place) for place, category in enumerate(categories[name])}
        values = np.asarray(X[name], dtype=object)
        unknown = next((value for value in values if not is_missing(value) and value not in rank), None)
        if unknown is not None:
            raise ValueError(
                f"X's column {name!r} contains {unknown!r}; in fit its ordered categories were {categories[name]!r}. Fit with "
                "a dtype that lists all categories, or drop such rows."
            )
        X[name] = [np.nan if is_missing(value) else rank[value] for value in values]
    return X
