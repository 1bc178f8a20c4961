"""Maps from scores to probabilities that minimize the PU risk on held-out PU rows, given π; they need no negatives.

The PU risk is the expected loss with all rows as negatives, minus π times the decrease in the loss of positives that count as
positive.  It equals the risk given all labels (du Plessis, Niu and Sugiyama, 2015).  Maps are fitted to scores of rows that the
scorer has not seen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize, minimize_scalar
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression

from pulib._threshold import between, cut_at_share
from pulib._weights import of_rows, ones_for_none, weighted_std

#: Weight of a labeled row relative to an unlabeled row with two samples, where labeled rows are not part of the population.
_NEGLIGIBLE_WEIGHT = 1e-9
#: Log-odds of a probability that rounds to 0 or 1 beside any π.
_FAR = 30.0
#: Distance of a threshold that no score should cross, in units of the range of the scores; the ranking keeps its digits.
_OUT_OF_REACH = 1e3


def fit_isotonic(
    scores: np.ndarray, positive: np.ndarray, prior: float, joined: bool, weights: np.ndarray | None = None
) -> tuple[IsotonicRegression, float]:
    """Minimize the squared PU risk over increasing maps: isotonic regression of π n / n_P on labeled rows and 0 on others."""
    weights = ones_for_none(weights, len(scores))
    of_kind = np.where(positive, 1.0 if joined else _NEGLIGIBLE_WEIGHT, 1.0)
    pull = prior * (weights * of_kind).sum() / weights[positive].sum()
    rising = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    rising.fit(scores, np.where(positive, pull / of_kind, 0.0), sample_weight=weights * of_kind)
    at, p = rising.X_thresholds_, rising.y_thresholds_
    k = int(np.argmax(p > 0.5))
    if k == 0:  # no probability exceeds one half, or all do, also those of new scores outside this range
        far = _OUT_OF_REACH * ((at[-1] - at[0]) or max(1.0, abs(at[0])))
        return rising, float(at[0] - far if p[0] > 0.5 else at[-1] + far)
    return rising, between(at[k - 1], at[k], max(0.0, (0.5 - p[k - 1]) / (p[k] - p[k - 1])))


class _Sigmoid:
    def __init__(self, slope: float, offset: float) -> None:
        self.slope, self.offset = slope, offset

    def predict(self, scores: np.ndarray) -> np.ndarray:
        return expit(self.slope * scores + self.offset)


def fit_sigmoid(
    scores: np.ndarray, positive: np.ndarray, prior: float, joined: bool, weights: np.ndarray | None = None
) -> tuple[_Sigmoid, float]:
    """Fit the sigmoid with the least logistic PU risk, E[log(1 + exp(f))] - π E_P[f], convex in its two parameters."""
    weights = ones_for_none(weights, len(scores))
    counted = slice(None) if joined else ~positive
    population, of_population = scores[counted], weights[counted]
    center, unit = float(np.average(population, weights=of_population)), weighted_std(population, of_population) or 1.0
    z, pull = (population - center) / unit, (np.average(scores[positive], weights=weights[positive]) - center) / unit

    def mean(values: np.ndarray) -> float:
        return float(np.average(values, weights=of_population))

    def risk(v: np.ndarray) -> tuple[float, np.ndarray]:
        f = v[0] * z + v[1]
        p = expit(f)
        value = mean(np.logaddexp(0.0, f)) - prior * (v[0] * pull + v[1])
        return float(value), np.array([mean(p * z) - prior * pull, mean(p) - prior])

    slope, offset = minimize(risk, [1.0, 0.0], jac=True, bounds=[(1e-3, 1e3), (None, None)]).x
    # if the best slope is at a bound, the search may end where the mean probability is not π, as it is at the minimum
    ends = [-slope * z.max() - _FAR, -slope * z.min() + _FAR]
    offset = brentq(lambda b: mean(expit(slope * z + b)) - prior, *ends) if expit(-_FAR) < prior < expit(_FAR) else offset
    return _Sigmoid(slope / unit, offset - slope * center / unit), float(center - offset * unit / slope)


_ABOVE_HALF = np.nextafter(0.5, 1.0)


class _TwoSlopes:
    """Map with probability one half at a given score, and different slopes of the log-odds below and above it."""

    def __init__(self, at: float, below: float, above: float) -> None:
        self.at, self.below, self.above = at, below, above

    def predict(self, scores: np.ndarray) -> np.ndarray:
        distance = scores - self.at
        p = expit(np.where(distance > 0, self.above, self.below) * distance)
        return np.where(distance > 0, np.maximum(p, _ABOVE_HALF), p)  # a small slope may round to one half


#: Bounds of the logarithm of a slope, relative to the mean distance.
_SLOPES = (-6.0, 12.0)


def fit_share(
    scores: np.ndarray, positive: np.ndarray, prior: float, joined: bool, weights: np.ndarray | None = None
) -> tuple[_TwoSlopes, float]:
    """Fit a threshold with a share π of the population above it, and probabilities with mean π that are one half there.

    The slope above the threshold minimizes the logistic PU risk; the slope below makes the mean π.  If rare positives are hard
    to distinguish, the posterior never exceeds one half, and ``fit_sigmoid`` would predict no row positive.
    """
    weights = ones_for_none(weights, len(scores))
    counted = slice(None) if joined else ~positive
    at = cut_at_share(scores[counted], prior, of_rows(weights, counted))
    distance, of_population = scores[counted] - at, weights[counted] / weights[counted].sum()
    own, of_own = scores[positive] - at, weights[positive] / weights[positive].sum()
    above = distance > 0
    far, pull = distance[above], prior * float(of_own[own > 0] @ own[own > 0])

    def risk(log_slope: float) -> float:
        slope = np.exp(log_slope) / unit
        return float(of_population[above] @ np.logaddexp(0.0, slope * far) - slope * pull)

    unit = float(far.mean()) if far.size else 1.0
    high = float(np.exp(minimize_scalar(risk, bounds=_SLOPES, method="bounded").x) / unit) if far.size else 1.0 / unit
    left = prior - float(of_population[above] @ expit(high * far)) if far.size else prior
    near = distance < 0
    if not near.any():
        return _TwoSlopes(at, high, high), at
    unit = -float(distance[near].mean())

    def excess(log_slope: float) -> float:
        return float(of_population[near] @ expit(np.exp(log_slope) / unit * distance[near])) - left

    ends = [excess(end) for end in _SLOPES]
    place = brentq(excess, *_SLOPES) if ends[0] > 0 > ends[1] else _SLOPES[int(abs(ends[1]) < abs(ends[0]))]
    return _TwoSlopes(at, float(np.exp(place) / unit), high), at


#: Functions of scores, a mask of labeled rows, π, whether labeled rows belong to the population, and row weights or None.
#: They return a map with ``predict``, and the score above which the probability exceeds one half.
CALIBRATIONS: dict[str, Callable[..., tuple[Any, float]]] = {"isotonic": fit_isotonic, "sigmoid": fit_sigmoid}
