"""Early stopping: the non-negative PU risk of the rounds so far on rows that no round sees."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from pulib._training_prior import class_factors
from pulib.boosting._stump import Stump


def column_of(X: Any, feature: int) -> np.ndarray:
    """One column of a dense or sparse matrix, as numbers that stumps' thresholds compare with."""
    column = X[:, [feature]].toarray()[:, 0] if sparse.issparse(X) else X[:, feature]
    return np.asarray(column, dtype=np.float64)


class HeldOutRisk:
    """The non-negative PU risk with the zero-one loss after each round, and when to stop.

    That is after ``patience`` rounds without a lower risk.  ``counts`` is what each of the held-out rows counts in the means
    over its kind.  Where π' is not π the risk is the balanced one (:mod:`pulib._training_prior`).
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
        """Take one more stump, whose vote counts ``weight``, into account."""
        signed = weight * stump.polarity
        self.scores += np.where(stump.above(column_of(self.X, stump.feature)), signed, -signed)
        answers = self.scores > 0
        as_negative = self._share(answers, self.population) - self.prior * self._share(answers, self.positive)
        of_positive, of_negative = self.factors
        as_positive = self.prior * self._share(~answers, self.positive)
        self.risks.append(of_positive * as_positive + of_negative * max(as_negative, 0.0))

    def _share(self, true: np.ndarray, rows: np.ndarray) -> float:
        """The share of some rows for which something is true."""
        counts = self.counts[rows]
        return float((counts * true[rows]).sum() / counts.sum())

    @property
    def best(self) -> int:
        """The least number of rounds of the least risk."""
        return int(np.argmin(self.risks)) + 1 if self.risks else 0

    @property
    def exhausted(self) -> bool:
        """Whether the last ``patience`` rounds brought no improvement."""
        return len(self.risks) - self.best >= self.patience
