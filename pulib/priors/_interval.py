"""Intervals of the share of positives among unlabeled rows: the bootstrap, and what best bin's assumption leaves open."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from pulib._doubts import FEW_LABELS
from pulib.priors._from_scores import BestBin, TwoNormals, share_at_least

#: From this estimate on labeled and unlabeled rows look alike, and say nothing of how few positives there may be.
_ALIKE = 0.98


class Method(Protocol):
    """What has looked at the rows, and answers for any weighting of them."""

    def share(self, weights: np.ndarray) -> float: ...


def share_interval(
    built: Method, positive: np.ndarray, share: float, confidence: float, n_bootstrap: int, random_state: int
) -> tuple[float, float]:
    """Ends of an interval around an estimated share.

    Labeled and unlabeled rows are resampled apart from each other.  For best bin the resamples are read as two normals too; the
    interval holds the percentiles of both readings.  Best bin is a minimum, and lower still on resamples: the upper end is as
    far away as they are lower.  The lower end goes down by the probability that a negative is ranked above a positive, which is
    what lets best bin come out too great.  Where labeled and unlabeled rows look alike there is no lower end, and with fewer
    labels than 30 no end at all.
    """
    rng = np.random.RandomState(random_state)
    readings: list[Method] = [built]
    if isinstance(built, BestBin):
        order = np.argsort(built.scores, kind="stable")  # once for all resamples
        scores, positive = built.scores[order], positive[order]
        readings = [BestBin(scores, positive), TwoNormals(scores, positive)]
    weights = [_resample(positive, rng) for _ in range(n_bootstrap)]
    ends = [share]
    for reading in readings:
        shares = [reading.share(one) for one in weights]
        ends += np.quantile(shares, [0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence]).tolist()
    low, high = min(ends), max(ends)
    if isinstance(built, BestBin):
        if int(positive.sum()) < FEW_LABELS:
            return 0.0, 1.0
        high = max(high, 2.0 * share - ends[1])
        low = 0.0 if share > _ALIKE else low - _rank_error(scores, positive, share)
    return low, high


def _resample(positive: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """How often each row is drawn."""
    weights = np.zeros(len(positive))
    for rows in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        weights[rows] = np.bincount(rng.randint(len(rows), size=len(rows)), minlength=len(rows))
    return weights


def _rank_error(scores: np.ndarray, positive: np.ndarray, share: float) -> float:
    """The probability that a negative is ranked above a positive, if the share is right.

    The area under the curve of labeled against unlabeled rows is π/2 + (1 − π) times that of positives against negatives.
    """
    reached, others = scores[positive], scores[~positive]
    ones = np.ones(len(others))
    above = 0.5 * (share_at_least(others, ones, reached) + share_at_least(others, ones, np.nextafter(reached, np.inf)))
    return float(np.clip((np.mean(above) - share / 2) / max(1.0 - share, 1e-3), 0.0, 0.5))


def tail_curve(built: BestBin, n_points: int = 100) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Shares of labeled rows above thresholds, and the ratios of unlabeled to labeled shares there, whose minimum is sought."""
    p, u = built.scores[built.positive], built.scores[~built.positive]
    thresholds = np.unique(np.quantile(p, np.linspace(0.0, 1.0, n_points), method="inverted_cdf"))[::-1]
    q_p, q_u = (share_at_least(side, np.ones(len(side)), thresholds) for side in (p, u))
    return tuple(q_p.tolist()), tuple((q_u / q_p).tolist())
