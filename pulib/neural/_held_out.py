"""Early stopping by the risk, or the variational loss, on held-out rows."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from scipy.special import expit, log_expit, logsumexp

from pulib._weights import of_rows
from pulib.neural._device_rows import DeviceRows


class HeldOut:
    """Track the non-negative PU risk with the sigmoid loss after each epoch, and the weights of the best epoch.

    Training stops after ``patience`` epochs without a lower risk.  ``weights`` apply in the mean over labeled rows, and
    ``population_weights`` in the mean over the population, in which known negatives count more.  ``eta`` is the η of
    :mod:`pulib._known_negatives`.
    """

    def __init__(
        self,
        rows: DeviceRows,
        positive: np.ndarray,
        weights: np.ndarray | None,
        prior: float,
        scenario: str,
        patience: int,
        population_weights: np.ndarray | None = None,
        eta: float = 0.0,
    ):
        self.rows, self.positive, self.weights, self.prior, self.patience = rows, positive, weights, prior, patience
        self.population_weights, self.eta = weights if population_weights is None else population_weights, eta
        self.population = ~positive if scenario == "two_sample" else np.ones_like(positive)
        self.risks: list[float] = []
        self._best_state: dict[str, Any] = {}

    def add(self, module: Any) -> float:
        """Record an epoch, keep its weights if they are the best so far, and return its risk."""
        module.eval()
        scores = self.rows.scores(module).astype(np.float64)
        module.train()
        self.risks.append(self._risk(scores))
        if self.best == len(self.risks):
            self._best_state = copy.deepcopy(module.state_dict())
        return self.risks[-1]

    def _risk(self, scores: np.ndarray) -> float:
        as_negative = (1.0 - self.eta * self.prior) * self._mean(expit(scores), self.population, self.population_weights)
        as_negative -= (1.0 - self.eta) * self.prior * self._mean(expit(scores), self.positive, self.weights)
        return self.prior * self._mean(expit(-scores), self.positive, self.weights) + max(as_negative, 0.0)

    @staticmethod
    def _mean(losses: np.ndarray, rows: np.ndarray, weights: np.ndarray | None) -> float:
        return float(np.average(losses[rows], weights=of_rows(weights, rows)))

    @property
    def best(self) -> int:
        """First epoch (from 1) with the lowest risk; NaN counts as infinite."""
        return int(np.argmin(np.nan_to_num(self.risks, nan=np.inf))) + 1

    @property
    def exhausted(self) -> bool:
        """Whether the last ``patience`` epochs brought no lower risk."""
        return len(self.risks) - self.best >= self.patience

    def restore(self, module: Any) -> None:
        """Load the weights of the best epoch into a network."""
        module.load_state_dict(self._best_state)


class HeldOutVariational(HeldOut):
    """:class:`HeldOut` with VPU's variational loss, which does not depend on π."""

    def _risk(self, scores: np.ndarray) -> float:
        log_phi = log_expit(scores)
        counted = 1.0 if self.weights is None else self.weights[self.population]
        population = logsumexp(log_phi[self.population], b=counted) - np.log(np.sum(counted * np.ones(self.population.sum())))
        return float(population) - self._mean(log_phi, self.positive, self.weights)
