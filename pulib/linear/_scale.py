"""The penalty λ for ``alpha="auto"``."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulib._feature_scales import column_moments
from pulib._weights import effective_count

#: λ for features of mean squared norm 1, in units of the risk's standard error; measured (docs/inside.md).
_PENALTY_FACTOR = 0.1


def fitting_penalty(X: Any, positive: np.ndarray, prior: float, at_least: int = 1, weights: np.ndarray | None = None) -> float:
    """Return λ, proportional to the mean squared norm of the rows (constant feature included) and the risk's standard error.

    The PU risk is only known to the order of π/√n_P + 1/(2√n_U) (du Plessis et al. 2015, section 4), and a closer fit is noise.
    So λ falls with more rows, and adapts to the scale of the features.  ``at_least`` is the number of rows of each kind
    expected if ``X`` is only the start of a stream.  With ``weights``, rows count as their effective number.

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
