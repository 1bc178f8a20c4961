"""Early stopping by the non-negative PU risk on held-out rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from pulib._training_prior import class_factors
from pulib.boosting._stump import Stump


def column_of(X: Any, feature: int) -> np.ndarray:
    """One column of a dense or sparse matrix, in the precision of the stumps' thresholds."""
    column = X[:, [feature]].toarray()[:, 0] if sparse.issparse(X) else X[:, feature]
    return np.asarray(column, dtype=np.float64)


class HeldOutRisk:
    """Non-negative PU risk with the zero-one loss after each round, until ``patience`` rounds bring no lower risk.

    ``counts`` are the weights of the held-out rows in the means over their kind.  If π' is not π, the risk is the balanced one
    (:mod:`pulib._training_prior`).
    """

    def __init__(
        self,
        X: Any,
        positive: np.ndarray,
        counts: np.ndarray,
        prior: float,
        scenario: str,
        patience: int,
        training_prior: float | None = None,
    ):
        self.factors = class_factors(prior, prior if training_prior is None else training_prior)
        self.X, self.positive, self.counts, self.prior, self.patience = X, positive, counts, prior, patience
        self.population = ~positive if scenario == "two_sample" else np.ones_like(positive)
        self.scores = np.zeros(X.shape[0])
        self.risks: list[float] = []

    def add(self, stump: Stump, weight: float) -> None:
        """Add a stump with a vote of ``weight``."""
        signed = weight * stump.polarity
        self.scores += np.where(stump.above(column_of(self.X, stump.feature)), signed, -signed)
        predicted = self.scores > 0
        as_negative = self._share(predicted, self.population) - self.prior * self._share(predicted, self.positive)
        of_positive, of_negative = self.factors
        as_positive = self.prior * self._share(~predicted, self.positive)
        self.risks.append(of_positive * as_positive + of_negative * max(as_negative, 0.0))

    def _share(self, true: np.ndarray, rows: np.ndarray) -> float:
        """Weighted share of ``rows`` for which ``true`` holds."""
        counts = self.counts[rows]
        return float((counts * true[rows]).sum() / counts.sum())

    @property
    def best(self) -> int:
        """Smallest number of rounds with the lowest risk."""
        return int(np.argmin(self.risks)) + 1 if self.risks else 0

    @property
    def exhausted(self) -> bool:
        """Whether the last ``patience`` rounds brought no improvement."""
        return len(self.risks) - self.best >= self.patience
