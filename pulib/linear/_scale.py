"""The scale of the features: a penalty that fits it, and a word where features are of very different scales."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse

from pulib._weights import effective_count
from pulib.exceptions import PUWarning

#: λ for features of mean squared norm 1, in units of the risk's standard error: measured, docs/inside/defaults.md.
_SHARE = 0.1
#: Rows that are looked at, evenly spread.
_ROWS = 10_000
#: A feature that varies so many times as much as the median one leaves no room for the others.
_MOST = 100.0


def _moments(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Mean and mean square of each column."""
    rows = X[:: max(1, X.shape[0] // _ROWS)]
    squares = rows.multiply(rows) if sparse.issparse(rows) else np.square(rows, dtype=np.float64)
    mean, square = (np.asarray(part.mean(axis=0, dtype=np.float64)).ravel() for part in (rows, squares))
    return mean, square


def warn_of_scales(X: Any, estimator: Any) -> None:
    """Tell of features whose scales are far apart: a penalty and a step length that fit one do not fit another."""
    mean, square = _moments(X)
    spread = np.sqrt(np.maximum(square - mean**2, 0.0))
    varying = spread > 1e-12 * np.sqrt(square)
    if not varying.any():
        return
    median = float(np.median(spread[varying]))
    size = np.maximum(spread, np.abs(mean))
    widest = int(np.argmax(size))
    if size[widest] > _MOST * median:
        name = getattr(estimator, "feature_names_in_", np.arange(len(spread)))[widest]
        name = name.item() if hasattr(name, "item") else name
        warnings.warn(
            f"Features are of very different scales: {name!r} has mean {mean[widest]:.3g} and standard deviation "
            f"{spread[widest]:.3g}, and the median feature a standard deviation of {median:.3g}. A linear model needs them on "
            f"one scale: make_pipeline(StandardScaler(), {type(estimator).__name__}(...)).",
            PUWarning,
            stacklevel=4,
        )


def fitting_penalty(X: Any, positive: np.ndarray, prior: float, at_least: int = 1, weights: np.ndarray | None = None) -> float:
    """λ in proportion to the mean squared norm of the rows (a constant feature's 1 included) and to the risk's standard error.

    The PU risk is known up to the order of π/√n_P + 1/(2√n_U) (du Plessis et al. 2015, section 4): what weights fit beyond that
    is noise.  So the penalty falls with more rows, and scaling all features alike changes nothing.

    Parameters
    ----------
    X : array or CSR matrix
    positive : bool array
        Labeled rows.
    prior : float
        π.
    at_least : int
        Rows of either kind that are to be expected in all, where ``X`` is the start of a stream.
    weights : array of shape (n_samples,), optional
        Of the rows: these are then as many as their effective count.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.linear._scale import fitting_penalty
    >>> X, positive = np.ones((200, 3)), np.arange(200) < 100
    >>> round(fitting_penalty(X, positive, 0.5), 3)
    0.04
    """
    if weights is None:
        n_labeled, n_unlabeled = float(positive.sum()), float((~positive).sum())
    else:
        n_labeled, n_unlabeled = effective_count(weights[positive]), effective_count(weights[~positive])
    error = prior / np.sqrt(max(n_labeled, at_least)) + 0.5 / np.sqrt(max(n_unlabeled, at_least))
    return float(_SHARE * (1.0 + _moments(X)[1].sum()) * error)
