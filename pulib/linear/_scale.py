"""A penalty that fits the scale of the features."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulib._feature_scales import column_moments
from pulib._weights import effective_count

#: λ for features of mean squared norm 1, in units of the risk's standard error; measured (docs/inside.md).
_PENALTY_FACTOR = 0.1


def fitting_penalty(X: Any, positive: np.ndarray, prior: float, at_least: int = 1, weights: np.ndarray | None = None) -> float:
    """λ in proportion to the mean squared norm of the rows (a constant feature's 1 included) and to the risk's standard error.

    The PU risk is known up to the order of π/√n_P + 1/(2√n_U) (du Plessis et al. 2015, section 4): what weights fit beyond that
    is noise.  So the penalty falls with more rows, and scaling all features alike changes nothing.  Where ``X`` is the start of
    a stream, ``at_least`` so many rows of either kind are to be expected in all; with weights, rows are as many as their
    effective count.

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
    return float(_PENALTY_FACTOR * (1.0 + column_moments(X)[1].sum()) * error)
