"""Groups of rows that belong together, such as the visits of a patient: drawn, held out and left out as one."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d

from pulib._labels import is_missing
from pulib._typing import ArrayLike


def group_codes(groups: ArrayLike | None, X: Any) -> np.ndarray | None:
    """Groups as numbers 0, 1, ...; None without groups.

    Parameters
    ----------
    groups : array-like of shape (n_samples,), optional
        A number or a text per row; rows with the same one belong together.
    X : rows

    Returns
    -------
    codes : int64 array of shape (n_samples,), or None

    Raises
    ------
    ValueError
        If there is not one group per row, or all rows are of one group.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._groups import group_codes
    >>> group_codes(["b", "a", "b"], np.zeros((3, 1)))
    array([1, 0, 1])
    """
    if groups is None:
        return None
    values = column_or_1d(groups)
    check_consistent_length(X, values)
    missing = np.array([is_missing(value) for value in values]) if values.dtype.kind in "fO" else np.zeros(1, bool)
    if missing.any():
        raise ValueError(
            f"groups contains {int(missing.sum())} missing values; give each row a group; a row that belongs to "
            "none gets one of its own."
        )
    names, codes = np.unique(values, return_inverse=True)
    if len(names) < 2:
        raise ValueError(
            f"groups: all {len(values)} rows belong to group {names.tolist()[0]!r}, so none can be held out; pass at "
            "least two groups, or groups=None."
        )
    return codes.astype(np.int64)
