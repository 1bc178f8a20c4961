"""An upper bound of the share of positives among unlabeled rows, from held-out scores alone.

If labels are at random, positives among the unlabeled rows have the labeled rows' scores.  So of any threshold, the share of
unlabeled rows that reach it is at least the share of positives times the share of labeled rows that do; and the area under the
curve of labeled against unlabeled rows is at most π/2 + (1 − π).  Both are read with confidence bounds.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from pulib._priors._from_scores import bounds_of_ratio, grid_of_tails, share_at_least
from pulib._weights import of_rows, ones_for_none, weighted_std

#: Each labeled row also trains the models that score the others, so scores of one kind rise and fall together.  This factor
#: reduces the effective number of labeled rows accordingly.  With 1 the bound fails on positives of many kinds with few labels
#: each (the level field's segment, 30 and 100 labels).
_CROSS_FITTED = 0.5


def permitted_share(
    scores: np.ndarray,
    positive: np.ndarray,
    independent: tuple[float, float] = (1.0, 1.0),
    confidence: float = 0.95,
    weights: np.ndarray | None = None,
) -> float:
    """The greatest share of positives among the unlabeled rows that the scores permit, at a confidence; at most 1.

    Clopper and Pearson's bounds of both shares at about twelve thresholds, and the bound by the area, divide the error.  Scores
    are taken to be cross-fitted, and a labeled row counts half.  ``independent`` is as of
    :class:`pulib._priors._from_scores.BestBin`; weights of a kind of rows add up to the number of rows that they are worth.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._priors._bounds import permitted_share
    >>> rng = np.random.default_rng(0)
    >>> positive, truth = np.arange(5000) < 1000, np.arange(5000) < 1080  # 80 of 4000 unlabeled rows are positive
    >>> bound = permitted_share(rng.normal(size=5000) + 5 * truth, positive)
    >>> print(f"at most {bound:.3f}, true 0.020")
    at most 0.028, true 0.020
    """
    p, u = scores[positive], scores[~positive]
    thresholds = np.unique(p)
    of_p, of_u = (ones_for_none(of_rows(weights, rows), rows.sum()) for rows in (positive, ~positive))
    q_p = share_at_least(p, of_p, thresholds)
    n_p, n_u = _CROSS_FITTED * of_p.sum() * independent[0], of_u.sum() * independent[1]
    some = grid_of_tails(q_p, n_p)
    q_u = share_at_least(u, of_u, thresholds[some])
    error = (1.0 - confidence) / (len(some) + 1)
    by_tails = float(np.min(bounds_of_ratio(q_p[some], q_u, n_p, n_u, error)))
    if weights is None:
        return min(by_tails, _by_area(np.sort(p), np.sort(u), n_p, n_u, error), 1.0)
    return min(by_tails, _by_weighted_area(p, u, of_p, of_u, n_p, n_u, error), 1.0)


def _by_area(p: np.ndarray, u: np.ndarray, n_p: float, n_u: float, error: float) -> float:
    """π ≤ 2 (1 − AUC), with DeLong's standard error of the area, and a rule of three where no pair is out of order."""
    if min(len(p), len(u)) < 2:
        return 1.0
    below = 0.5 * (np.searchsorted(u, p, "left") + np.searchsorted(u, p, "right")) / len(u)
    above = 1.0 - 0.5 * (np.searchsorted(p, u, "left") + np.searchsorted(p, u, "right")) / len(p)
    variance = below.var(ddof=1) / n_p + above.var(ddof=1) / n_u
    return _of_area(float(below.mean()), float(variance), n_p, n_u, error)


def _by_weighted_area(
    p: np.ndarray, u: np.ndarray, of_p: np.ndarray, of_u: np.ndarray, n_p: float, n_u: float, error: float
) -> float:
    """:func:`_by_area` of rows with weights."""
    if min(len(p), len(u)) < 2:
        return 1.0

    def reach(scores: np.ndarray, weights: np.ndarray, by: np.ndarray) -> np.ndarray:
        """The share of scores above others, ties counting half."""
        return 0.5 * (share_at_least(scores, weights, by) + share_at_least(scores, weights, np.nextafter(by, np.inf)))

    below, above = 1.0 - reach(u, of_u, p), reach(p, of_p, u)
    variance = weighted_std(below, of_p) ** 2 / n_p + weighted_std(above, of_u) ** 2 / n_u
    return _of_area(float(np.average(below, weights=of_p)), variance, n_p, n_u, error)


def _of_area(area: float, variance: float, n_p: float, n_u: float, error: float) -> float:
    slack = max(float(-ndtri(error) * np.sqrt(variance)), 3.0 / min(n_p, n_u))
    return 2.0 * (1.0 - area + slack)
