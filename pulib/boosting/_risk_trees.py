"""XGBoost trees on the non-negative PU risk, with our own gradients and curvatures."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from pulib._optional import needed_by

#: Lower bound on the curvature of the logistic loss, so that steps stay finite where it vanishes.
_LEAST_CURVATURE = 0.05
#: Least sum of curvatures in a leaf, times the number of rows.
_LEAST_IN_LEAF = 5.0


class Growth(NamedTuple):
    """Parameters of the trees."""

    n_estimators: int
    learning_rate: float
    max_depth: int
    subsample: float
    max_features: float
    l2_regularization: float


class PURisk:
    """Non-negative PU risk with the logistic loss ℓ(z) = ln(1 + e^-z).

    R = R_p + max(0, R_n) with R_p = π mean_P ℓ(g) and R_n = mean ℓ(-g) over the population minus π mean_P ℓ(-g) (Kiryo et al.,
    eq. 6).  If R_n is negative, only labeled rows have a gradient.  The population is the unlabeled rows, or all rows if
    ``scenario`` is "one_sample".  Weights must be positive.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.boosting._risk_trees import PURisk
    >>> risk = PURisk(np.array([True, False]), np.ones(2), 0.25, "two_sample")
    >>> gradient, curvature = risk.derivatives(np.zeros(2))
    >>> gradient.tolist(), curvature.tolist()  # of π (ℓ(g) - ℓ(-g)) = -π g in a labeled row, and of ℓ(-g) in an unlabeled one
    ([-0.25, 0.5], [0.0625, 0.25])
    """

    def __init__(self, positive: np.ndarray, weights: np.ndarray, prior: float, scenario: str) -> None:
        counted = np.ones(len(positive), bool) if scenario == "one_sample" else ~positive
        self.of_labeled = prior * np.where(positive, weights, 0.0) / weights[positive].sum()
        self.of_population = np.where(counted, weights, 0.0) / weights[counted].sum()

    def negative_part(self, scores: np.ndarray) -> float:
        """Return R_n."""
        return float((self.of_population - self.of_labeled) @ np.logaddexp(0.0, scores))

    def value(self, scores: np.ndarray) -> float:
        """Return R."""
        return float(self.of_labeled @ np.logaddexp(0.0, -scores)) + max(self.negative_part(scores), 0.0)

    def derivatives(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the gradient of R, and a curvature for each row.

        R_p + R_n is linear in the score of a labeled row, so the row counts with the curvature of R_p, an upper bound.
        """
        p = expit(scores)
        gradient = -self.of_labeled * (1.0 - p)
        if self.negative_part(scores) >= 0.0:
            gradient += (self.of_population - self.of_labeled) * p
        return gradient, (self.of_population + self.of_labeled) * np.maximum(p * (1.0 - p), _LEAST_CURVATURE)


def boost(X: np.ndarray, risk: PURisk, growth: Growth, seed: int) -> Any:
    """Fit an XGBoost booster on one thread, which gives the same bytes for the same seed.

    ``risk`` is that of the rows of ``X``, where NaN is a missing value.
    """
    with needed_by("PUGradientBoostingClassifier", extra="boosting"):
        import xgboost
    rows = xgboost.DMatrix(X, nthread=1)
    options = {
        "eta": growth.learning_rate,
        "max_depth": growth.max_depth,
        "subsample": growth.subsample,
        "colsample_bynode": growth.max_features,
        "lambda": growth.l2_regularization,
        "min_child_weight": _LEAST_IN_LEAF,
        "tree_method": "hist",
        "base_score": 0.0,
        "nthread": 1,
        "seed": seed,
        "seed_per_iteration": True,
    }
    booster = xgboost.Booster(options, [rows])
    for k in range(growth.n_estimators):
        scores = booster.predict(rows, output_margin=True).astype(np.float64)
        gradient, curvature = (len(X) * part for part in risk.derivatives(scores))
        booster.boost(rows, iteration=k, grad=gradient, hess=curvature)
    booster.reset()  # frees the training rows
    return booster


def scores_of(booster: Any, X: np.ndarray) -> np.ndarray:
    """Sums of the trees' leaves, as a float64 array of shape (n_samples,)."""
    return booster.inplace_predict(X, predict_type="margin").astype(np.float64)
