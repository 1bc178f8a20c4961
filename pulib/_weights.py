"""Weights of rows: how much each counts in the means of a PU risk."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight

from pulib._typing import ArrayLike


def row_weights(sample_weight: ArrayLike | None, X: Any, positive: np.ndarray) -> np.ndarray | None:
    """Checked weights of rows; None where all rows count alike.

    A PU risk is made of means over the labeled and over the unlabeled rows, and π is given apart from them.  Weights turn these
    into weighted means: a weight of 2 does what a row given twice does, and a factor common to all rows does nothing.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,), number or None
    X : rows
    positive : bool array of shape (n_samples,)

    Returns
    -------
    weights : float64 array of shape (n_samples,), or None

    Raises
    ------
    ValueError
        If a weight is negative or not finite, or all labeled or all unlabeled rows have weight 0.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._weights import row_weights
    >>> row_weights([1, 2, 3], np.zeros((3, 1)), np.array([True, False, False]))
    array([1., 2., 3.])
    """
    if sample_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    for kind, rows in (("labeled", positive), ("unlabeled", ~positive)):
        if not weights[rows].any():
            raise ValueError(
                f"sample_weight: all {int(rows.sum())} {kind} rows have weight 0; some row of either kind has to count."
            )
    return weights
