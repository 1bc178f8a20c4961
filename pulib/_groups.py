"""Groups of rows, such as the visits of a patient, which are drawn, held out and left out as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d

from pulib._labels import is_missing
from pulib._typing import ArrayLike
from pulib._weights import of_rows, ones_for_none, row_weights, weighted_rows


def group_codes(groups: ArrayLike | None, X: Any) -> np.ndarray | None:
    """Return groups (a number or string per row) as codes 0, 1, ...; None without groups.

    A wrong length, a missing value or a single group raises an error.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._groups import group_codes
    >>> group_codes(["b", "a", "b"], np.zeros((3, 1)))
    array([1, 0, 1])
    """
    if groups is None:
        return None
    values = complete_groups(groups, X)
    names, codes = np.unique(values, return_inverse=True)
    if len(names) < 2:
        raise ValueError(
            f"groups: all {len(values)} rows belong to group {names.tolist()[0]!r}, so none can be held out; pass at "
            "least two groups, or groups=None."
        )
    return codes.astype(np.int64)


def complete_groups(groups: ArrayLike, X: Any) -> np.ndarray:
    """Return groups as a vector; a wrong length or a missing value raises an error."""
    values = column_or_1d(groups)
    check_consistent_length(X, values)
    missing = np.array([is_missing(value) for value in values]) if values.dtype.kind in "fO" else np.zeros(1, bool)
    if missing.any():
        raise ValueError(
            f"groups contains {int(missing.sum())} missing values; give each row a group; a row that belongs to "
            "none gets one of its own."
        )
    return values


def grouped_rows(
    sample_weight: ArrayLike | None, groups: ArrayLike | None, X: Any, positive: np.ndarray
) -> tuple[Any, np.ndarray, np.ndarray | None, np.ndarray | None]:
    """Return the rows of positive weight (:func:`pulib._weights.weighted_rows`), and the codes of their groups."""
    codes, counts = group_codes(groups, X), ones_for_none(row_weights(sample_weight, X, positive), len(positive)) > 0
    return *weighted_rows(sample_weight, X, positive), of_rows(codes, counts)
