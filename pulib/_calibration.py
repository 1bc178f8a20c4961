"""Maps from scores to probabilities that need no negatives: the least PU risk of π and held-out PU rows.

The expected loss over the population, less π times what positives gain by being called so, is the risk of every label known
(du Plessis, Niu and Sugiyama, 2015).  A map is fitted to scores of rows that the scorer has not seen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression

#: A labeled row's weight beside an unlabeled row's 1, in the two-sample scenario, where it is not of the population.
_NO_WEIGHT = 1e-9


def fit_isotonic(scores: np.ndarray, positive: np.ndarray, prior: float, joined: bool) -> tuple[IsotonicRegression, float]:
    """The rising function with the least squared PU risk, a weighted isotonic regression of π/n_P on labeled rows and 0."""
    weight = np.where(positive, 1.0 if joined else _NO_WEIGHT, 1.0)
    pull = prior * weight.sum() / positive.sum()
    rising = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    rising.fit(scores, np.where(positive, pull / weight, 0.0), sample_weight=weight)
    at, p = rising.X_thresholds_, rising.y_thresholds_
    if p[-1] <= 0.5:
        return rising, float(at[-1])
    k = int(np.argmax(p > 0.5))
    if k == 0:
        return rising, float(np.nextafter(at[0], -np.inf))
    return rising, float(at[k - 1] + (at[k] - at[k - 1]) * max(0.0, (0.5 - p[k - 1]) / (p[k] - p[k - 1])))


class _Sigmoid:
    def __init__(self, slope: float, offset: float) -> None:
        self.slope, self.offset = slope, offset

    def predict(self, scores: np.ndarray) -> np.ndarray:
        return expit(self.slope * scores + self.offset)


def fit_sigmoid(scores: np.ndarray, positive: np.ndarray, prior: float, joined: bool) -> tuple[_Sigmoid, float]:
    """The sigmoid with the least logistic PU risk, E[log(1 + exp(f))] - π E_P[f], which is convex in its two parameters."""
    population = scores if joined else scores[~positive]
    center, unit = float(np.mean(population)), float(np.std(population)) or 1.0
    z, pull = (population - center) / unit, (np.mean(scores[positive]) - center) / unit

    def risk(v: np.ndarray) -> tuple[float, np.ndarray]:
        f = v[0] * z + v[1]
        p = expit(f)
        value = np.mean(np.logaddexp(0.0, f)) - prior * (v[0] * pull + v[1])
        return float(value), np.array([np.mean(p * z) - prior * pull, np.mean(p) - prior])

    slope, offset = minimize(risk, [1.0, 0.0], jac=True, bounds=[(1e-3, 1e3), (None, None)]).x
    return _Sigmoid(slope / unit, offset - slope * center / unit), float(center - offset * unit / slope)


#: By name: from scores, who is labeled, π, and whether labeled rows are of the population, to a map with ``predict`` and the
#: score from which on the probability is above one half.
CALIBRATIONS: dict[str, Callable[[np.ndarray, np.ndarray, float, bool], tuple[Any, float]]] = {
    "isotonic": fit_isotonic,
    "sigmoid": fit_sigmoid,
}
