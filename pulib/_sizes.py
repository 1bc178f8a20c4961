"""Features so large that their squares overflow: an error, instead of weights that are not finite."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

#: Squares and their sums may use this share of a precision's exponents: 1e138 in double, 2e17 in single precision.
_USABLE_EXPONENT_SHARE = 0.45


def largest(dtype: Any) -> float:
    """The greatest absolute value whose squares can be added up.

    Examples
    --------
    >>> from pulib._sizes import largest
    >>> f"{largest('float64'):.0e} {largest('float32'):.0e}"
    '5e+138 2e+17'
    """
    return float(np.finfo(dtype).max) ** _USABLE_EXPONENT_SHARE


def _extremes(X: Any) -> np.ndarray:
    """The greatest absolute value of each column."""
    if sparse.issparse(X):
        return np.asarray(abs(X).max(axis=0).todense()).ravel()
    return np.maximum(X.max(axis=0), -X.min(axis=0))


def check_sizes(X: Any, estimator: Any, dtype: Any = np.float64, names: Any = None) -> None:
    """Raise an error for features whose squares overflow in the precision that an estimator works in.

    It names the feature, its size and the remedy; ``names`` are those of the features where the estimator does not know them
    yet.
    """
    values = X.data if sparse.issparse(X) else X
    limit = largest(dtype)
    if values.size == 0 or max(float(values.max()), -float(values.min())) <= limit:
        return
    sizes = _extremes(X)
    column = int(np.argmax(sizes))
    name = (getattr(estimator, "feature_names_in_", np.arange(len(sizes))) if names is None else names)[column]
    name = name.item() if hasattr(name, "item") else name
    learner = type(estimator).__name__
    raise ValueError(
        f"X's column {name!r} contains values as large as {sizes[column]:.3g}; {learner} needs their squares, and accepts at "
        f"most {limit:.0e} ({np.dtype(dtype).name}). If such a value marks a missing one, replace it; otherwise scale the "
        f"features: make_pipeline(MaxAbsScaler(), {learner}(...))."
    )


def check_finite_scores(scores: np.ndarray, estimator: Any) -> np.ndarray:
    """Scores as they are; rows that are too large for the weights raise an error."""
    if not np.isfinite(scores).all():
        row = int(np.argmin(np.isfinite(scores)))
        raise ValueError(
            f"{type(estimator).__name__}: the score of row {row} of X is too large for a float. Its values are on "
            "another scale than those in fit; scale the features."
        )
    return scores
