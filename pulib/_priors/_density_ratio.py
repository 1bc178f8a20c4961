"""DEDPUL: estimates from the ratio of the densities of scores among labeled and among unlabeled rows.

With r(x) = f_P(x) / f_U(x), an unlabeled row is positive with probability π r(x), where π is the share of positives among the
unlabeled rows.  Densities are one-dimensional: x is the score of a classifier of labeled against unlabeled rows (Ivanov,
section 3).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d, median_filter
from scipy.optimize import brentq
from scipy.special import logit
from sklearn.isotonic import isotonic_regression

from pulib._weights import ones_for_none, weighted_std

#: Bandwidths among labeled and among unlabeled rows, in standard deviations of the log-odds; Ivanov's.
_BANDWIDTHS = 0.1, 0.05
#: Bins per bandwidth, and the maximum number of bins; if more were needed, the bandwidth grows.
_BINS_OF_BANDWIDTH, _MOST_BINS = 5, 2**15
#: Maximum number of unlabeled rows at whose scores the ratio is computed; evenly spread by rank.
_MOST_POINTS = 5_000
#: Bounds of the ratio (the upper one is Ivanov's; the lower one makes posteriors exist for any prior), and the share of points
#: on each side in the running median.
_LEAST_RATIO, _MOST_RATIO, _NEIGHBORS = 1e-6, 50.0, 1 / 20
#: Priors to try if none agrees with the posteriors, and the maximum disagreement.
_GRID, _DISAGREEMENT = np.arange(1, 1000) / 1000, 0.05
_EDGE = 1e-5


def log_odds(scores: np.ndarray) -> np.ndarray:
    """Convert probabilities to log-odds; return other scores unchanged."""
    scores = np.asarray(scores, dtype=np.float64)
    return logit(np.clip(scores, _EDGE, 1 - _EDGE)) if scores.min() >= 0 and scores.max() <= 1 else scores


def density_ratio(scores: np.ndarray, positive: np.ndarray, weights: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return ascending scores of unlabeled rows, evenly spread by rank, and the non-decreasing ratio of densities at each.

    Scores are held-out and on an unbounded scale.  The heuristics are Ivanov's (algorithm 1): above the midpoint between the
    mean scores of both samples, the ratio is replaced by its running maximum, and a running median smooths it everywhere.
    Isotonic regression then makes all of it non-decreasing, so that posteriors cross one half once.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._priors._density_ratio import density_ratio
    >>> rng = np.random.default_rng(0)
    >>> scores = np.r_[rng.normal(1, 1, 2000), rng.normal(1, 1, 600), rng.normal(-1, 1, 1400)]
    >>> at, ratio = density_ratio(scores, np.arange(4000) < 2000)
    >>> true = 1 / (0.3 + 0.7 * np.exp(-2 * at))  # of the density of P to that of U, 30% of which is positive
    >>> print(f"mean error {np.abs(0.3 * (ratio - true)).mean():.2f}")
    mean error 0.04
    """
    weights = ones_for_none(weights, len(scores))
    sides = [(scores[side], weights[side] / weights[side].sum()) for side in (positive, ~positive)]
    n = min(_MOST_POINTS, len(sides[1][0]))
    at = np.quantile(sides[1][0], (np.arange(n) + 0.5) / n, weights=sides[1][1], method="inverted_cdf")
    of_p, of_u = (_density(own, of_own, h, at) for (own, of_own), h in zip(sides, _BANDWIDTHS, strict=True))
    ratio = np.clip(of_p / np.maximum(of_u, np.finfo(float).tiny), _LEAST_RATIO, _MOST_RATIO)
    above = at > 0.5 * sum(float(own @ of_own) for own, of_own in sides)
    ratio[above] = np.maximum.accumulate(ratio[above])
    ratio = median_filter(ratio, size=2 * int(n * _NEIGHBORS) + 1, mode="nearest")
    return at, isotonic_regression(ratio)


def _density(scores: np.ndarray, weights: np.ndarray, bandwidth: float, at: np.ndarray) -> np.ndarray:
    """Gaussian kernel density from binned scores."""
    h = bandwidth * weighted_std(scores, weights)
    low, high = min(scores.min(), at.min()), max(scores.max(), at.max())
    if high == low:
        return np.ones(len(at))
    width = max((h or (high - low) * bandwidth) / _BINS_OF_BANDWIDTH, (high - low) / _MOST_BINS)
    margin = 6 * _BINS_OF_BANDWIDTH
    n_bins = int((high - low) / width) + 2 * margin + 2
    places = (scores - low) / width + margin
    left = places.astype(np.intp)
    share = places - left  # to the right neighbor
    mass = np.bincount(left, weights * (1 - share), n_bins) + np.bincount(left + 1, weights * share, n_bins)
    smooth = gaussian_filter1d(mass, _BINS_OF_BANDWIDTH, mode="constant", truncate=6.0) / width
    return np.interp((at - low) / width + margin, np.arange(n_bins), smooth)


def share_of(ratio: np.ndarray) -> float:
    """Find the share of positives π that equals the mean posterior, mean of min(π r, 1) (algorithm 2).

    The mean posterior is concave in π, so that the iteration from 1 decreases to the largest solution, which is returned.  With
    estimated r, 0 may be the only solution; π is then at the sharpest bend of the difference, near 1 / max r.
    """
    rising = np.sort(ratio)

    def disagreement(prior: np.ndarray | float) -> np.ndarray:
        below = np.searchsorted(rising, 1.0 / np.asarray(prior))
        sums = np.concatenate([[0.0], np.cumsum(rising)])
        return prior - (prior * sums[below] + len(rising) - below) / len(rising)

    off = disagreement(_GRID)
    agreed = float(brentq(disagreement, _GRID[np.argmin(off)], 1.0)) if off.min() < 0 else 0.0
    bends = np.where(off[1:-1] < _DISAGREEMENT, np.diff(off, 2), -np.inf)
    bent = float(_GRID[1 + int(np.argmax(bends))])
    return agreed if agreed > 0 else bent


def posterior_of(ratio: np.ndarray, share: float) -> np.ndarray:
    """Posteriors given the share of positives: min(a r, 1), with a chosen so that their mean is the share (section 3.3)."""
    a = brentq(lambda a: float(np.minimum(a * ratio, 1.0).mean()) - share, 0.0, 1.0 / ratio.min())
    return np.minimum(a * ratio, 1.0)


@dataclass(frozen=True)
class DensityRatio:
    """DEDPUL's estimate from held-out scores, for :func:`pulib.estimate_prior`."""

    scores: np.ndarray
    positive: np.ndarray

    def share(self, weights: np.ndarray) -> float:
        """Share of positives among the unlabeled rows if row i counts ``weights[i]`` times."""
        counts = weights > 0
        return share_of(density_ratio(log_odds(self.scores[counts]), self.positive[counts], weights[counts])[1])
