"""Early stopping: rows that no round sees, and the non-negative PU risk of the rounds so far on them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from pulib._typing import RandomState
from pulib.boosting._stump import Stump


def hold_out(positive: np.ndarray, fraction: float, random_state: RandomState) -> np.ndarray:
    """Which rows to hold out: a share of the labeled ones and of the unlabeled ones, at least one and not all of either.

    None, with a warning, where a kind has a single row.
    An integer or no ``random_state`` is left as it is; of a generator a copy is drawn from, so that the rounds' own numbers
    are those of a fit without rows held out.
    """
    rng = check_random_state(random_state)
    if rng is random_state:
        rng = np.random.RandomState()
        rng.set_state(random_state.get_state())
    held = np.zeros(len(positive), bool)
    for rows in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        if len(rows) < 2:
            warnings.warn(
                f"n_iter_no_change needs two labeled and two unlabeled rows, to hold one of each out; there are "
                f"{int(positive.sum())} and {int((~positive).sum())}. Boosting goes on to n_estimators.",
                UserWarning,
                stacklevel=3,
            )
            return np.zeros(len(positive), bool)
        count = min(max(1, round(fraction * len(rows))), len(rows) - 1)
        held[rng.choice(rows, count, replace=False)] = True
    return held


def column_of(X: Any, feature: int) -> np.ndarray:
    """One column of a dense or sparse matrix, as numbers that stumps' thresholds compare with."""
    column = X[:, [feature]].toarray()[:, 0] if sparse.issparse(X) else X[:, feature]
    return np.asarray(column, dtype=np.float64)


class HeldOutRisk:
    """The non-negative PU risk with the zero-one loss after each round, and when to stop.

    Parameters
    ----------
    X, positive, counts
        The rows held out, which of them are labeled, and what each counts in the means over its kind.
    prior : float
    scenario : {"two_sample", "one_sample"}
    patience : int
        Rounds without a lower risk after which to stop.
    """

    def __init__(self, X: Any, positive: np.ndarray, counts: np.ndarray, prior: float, scenario: str, patience: int):
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
        self.risks.append(self.prior * self._share(~answers, self.positive) + max(as_negative, 0.0))

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
        """Whether the last ``patience`` rounds brought nothing."""
        return len(self.risks) - self.best >= self.patience
