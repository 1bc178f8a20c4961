"""An upper confidence bound on the share of positives among unlabeled rows, from held-out scores alone.

If labels are at random, positives among the unlabeled rows have the same score distribution as labeled rows.  At any threshold,
the share of unlabeled rows above it is then at least the share of positives times that of labeled rows, and the AUC of labeled
against unlabeled rows is at most π/2 + (1 − π).
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from pulib._priors._from_scores import bounds_of_ratio, grid_of_tails, share_at_least
from pulib._weights import of_rows, ones_for_none, weighted_std

#: Factor of the effective number of labeled rows.  Each labeled row also trains the models that score the others, so their
#: scores are correlated.  With 1, the bound fails if positives are of many kinds with few labels each (the level field's
#: segment, 30 and 100 labels).
_CROSS_FITTED = 0.5
_CONFIDENCE = 0.95


def permitted_share(
    scores: np.ndarray, positive: np.ndarray, independent: tuple[float, float] = (1.0, 1.0), weights: np.ndarray | None = None
) -> float:
    """Upper confidence bound (95%) on the share of positives among the unlabeled rows, given scores; at most 1.

    It combines Clopper–Pearson bounds at about twelve thresholds and a bound from the AUC, which share the error equally.
    Scores are assumed to be cross-fitted, so a labeled row counts half.  ``independent`` is as for
    :class:`pulib._priors._from_scores.BestBin`; the weights of each kind of rows sum to its effective number of rows.

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
    error = (1.0 - _CONFIDENCE) / (len(some) + 1)
    by_tails = float(np.min(bounds_of_ratio(q_p[some], q_u, n_p, n_u, error)))
    if weights is None:
        return min(by_tails, _by_area(np.sort(p), np.sort(u), n_p, n_u, error), 1.0)
    return min(by_tails, _by_weighted_area(p, u, of_p, of_u, n_p, n_u, error), 1.0)


def _by_area(p: np.ndarray, u: np.ndarray, n_p: float, n_u: float, error: float) -> float:
    """Bound π ≤ 2 (1 − AUC) with DeLong's standard error, or with the rule of three if that is wider."""
    if min(len(p), len(u)) < 2:
        return 1.0
    below = 0.5 * (np.searchsorted(u, p, "left") + np.searchsorted(u, p, "right")) / len(u)
    above = 1.0 - 0.5 * (np.searchsorted(p, u, "left") + np.searchsorted(p, u, "right")) / len(p)
    variance = below.var(ddof=1) / n_p + above.var(ddof=1) / n_u
    return _of_area(float(below.mean()), float(variance), n_p, n_u, error)


def _by_weighted_area(
    p: np.ndarray, u: np.ndarray, of_p: np.ndarray, of_u: np.ndarray, n_p: float, n_u: float, error: float
) -> float:
    """:func:`_by_area` for rows with weights."""
    if min(len(p), len(u)) < 2:
        return 1.0

    def reach(scores: np.ndarray, weights: np.ndarray, by: np.ndarray) -> np.ndarray:
        """Weighted share of ``scores`` above each value of ``by``; ties count half."""
        return 0.5 * (share_at_least(scores, weights, by) + share_at_least(scores, weights, np.nextafter(by, np.inf)))

    below, above = 1.0 - reach(u, of_u, p), reach(p, of_p, u)
    variance = weighted_std(below, of_p) ** 2 / n_p + weighted_std(above, of_u) ** 2 / n_u
    return _of_area(float(np.average(below, weights=of_p)), variance, n_p, n_u, error)


def _of_area(area: float, variance: float, n_p: float, n_u: float, error: float) -> float:
    slack = max(float(-ndtri(error) * np.sqrt(variance)), 3.0 / min(n_p, n_u))
    return 2.0 * (1.0 - area + slack)
