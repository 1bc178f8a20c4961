"""Objectives of a batch: a PU risk, or VPU's variational loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import torch
import torch.nn.functional as F

from pulib.neural._losses import pu_objective, pu_risks, variational_loss
from pulib.neural._networks import scores_of

#: Scores of a batch are padded to a multiple of this, because vectorized code rounds differently from the loop over an array's
#: remainder.
LANES = 64
#: Parameter of the Beta distribution of mixup's γ.
MIXUP_ALPHA = 0.3


class Objective(Protocol):
    """The loss of a batch of labeled rows and a sample of the population, and values to report."""

    #: Weights of the means over labeled rows and over the population.
    factors: tuple[float, float]
    #: Names of the reported values in ``history_``.
    reports: ClassVar[tuple[str, ...]]

    def __call__(
        self, network: Any, x: torch.Tensor, is_positive: np.ndarray, weights: np.ndarray
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
        """Return the loss and the reported values; ``weights``, of shape (2, n), are for labeled rows and the population."""


@dataclass(frozen=True)
class PURisk:
    """The PU risk of a batch, uPU or nnPU; with uPU, η = 1 and π = ½, the balanced risk of classifying P against U."""

    prior: float
    risk: str
    loss: str
    beta: float = 0.0
    gamma: float = 1.0
    eta: float = 0.0  # η of pulib._known_negatives
    reports: ClassVar[tuple[str, ...]] = ("risk", "corrected_share")

    @property
    def factors(self) -> tuple[float, float]:
        return self.prior, 1.0 - self.eta * self.prior

    def __call__(
        self, network: Any, x: torch.Tensor, is_positive: np.ndarray, weights: np.ndarray
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
        n = len(x)
        padded = np.zeros((2, -(-n // LANES) * LANES), dtype=np.float32)
        padded[:, :n] = weights
        positive_weight, unlabeled_weight = torch.from_numpy(padded).to(x.device)
        scores = F.pad(scores_of(network, x), (0, padded.shape[1] - n))
        positive, negative = pu_risks(scores, positive_weight, unlabeled_weight, self.loss, self.eta)
        objective, reported, corrected = pu_objective(positive, negative, self.risk, self.beta, self.gamma)
        return objective, (reported, corrected)


@dataclass(frozen=True)
class Variational:
    """VPU's loss and its mixup term (Chen et al. 2020, equations 6 and 8)."""

    mixup_weight: float  # λ
    rng: np.random.Generator  # for partners and γ
    factors: ClassVar[tuple[float, float]] = (1.0, 1.0)
    reports: ClassVar[tuple[str, ...]] = ("risk",)

    def __call__(
        self, network: Any, x: torch.Tensor, is_positive: np.ndarray, weights: np.ndarray
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
        log_phi = F.logsigmoid(scores_of(network, x))
        labeled, others = np.flatnonzero(is_positive), np.flatnonzero(~is_positive)
        on_device = torch.from_numpy(weights).to(x.device)
        loss = variational_loss(log_phi[labeled], log_phi[others], on_device[0, labeled], on_device[1, others])
        reported = loss.detach()
        if self.mixup_weight > 0:
            partners = labeled[self.rng.permutation(np.arange(len(others)) % len(labeled))]
            share = self.rng.beta(MIXUP_ALPHA, MIXUP_ALPHA, size=len(others)).astype(np.float32)
            gamma = torch.from_numpy(share).to(x.device)
            target = torch.log(gamma + (1.0 - gamma) * log_phi[others].exp())
            mixed = gamma[:, None] * x[partners] + (1.0 - gamma[:, None]) * x[others]
            gaps = (target - F.logsigmoid(scores_of(network, mixed))) ** 2
            of_pairs = on_device[0, partners] * on_device[1, others]
            loss = loss + self.mixup_weight * (of_pairs * gaps).sum() / of_pairs.sum()
        return loss, (reported,)
