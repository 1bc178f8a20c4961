"""Errors for features so large that their squares overflow, which would make weights infinite or NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

#: Share of a type's exponents that values may use, to leave room for sums of squares: up to 5e138 in double, 2e17 in single.
_USABLE_EXPONENT_SHARE = 0.45


def largest(dtype: Any) -> float:
    """Greatest absolute value whose squares can be summed.

    Examples
    --------
    >>> from pulib._sizes import largest
    >>> f"{largest('float64'):.0e} {largest('float32'):.0e}"
    '5e+138 2e+17'
    """
    return float(np.finfo(dtype).max) ** _USABLE_EXPONENT_SHARE


def _extremes(X: Any) -> np.ndarray:
    """Greatest absolute value of each column."""
    if sparse.issparse(X):
        return np.asarray(abs(X).max(axis=0).todense()).ravel()
    return np.maximum(X.max(axis=0), -X.min(axis=0))


def check_sizes(X: Any, estimator: Any, dtype: Any = np.float64, names: Any = None) -> None:
    """Raise an error if the squares of a feature overflow in ``dtype``.

    The error names the feature, its size and the remedy.  ``names`` are feature names that the estimator does not know yet.
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


def at_most_one(X: np.ndarray) -> np.ndarray:
    """Divide columns by powers of two, which is exact, so that squares of huge and tiny values are not lost.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._sizes import at_most_one
    >>> at_most_one(np.array([[3e200, 0.5], [1.5e200, 0.0]])).round(2).tolist()
    [[0.98, 0.5], [0.49, 0.0]]
    """
    return np.ldexp(X, -np.frexp(np.abs(X).max(axis=0))[1])


def check_finite_scores(scores: np.ndarray, estimator: Any) -> np.ndarray:
    """Return the scores; raise an error if one is not finite."""
    if not np.isfinite(scores).all():
        row = int(np.argmin(np.isfinite(scores)))
        raise ValueError(
            f"{type(estimator).__name__}: the score of row {row} of X is too large for a float. Its values are on "
            "another scale than those in fit; scale the features."
        )
    return scores
