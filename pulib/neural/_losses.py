"""Surrogate losses, the PU risks of a batch, and the objective whose gradient the optimizer gets.

Bounded by memory, and small: one score per row.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F

#: ℓ(z) of a margin z = y·g(x).
LOSSES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "sigmoid": lambda z: torch.sigmoid(-z),
    "logistic": lambda z: F.softplus(-z),
    "double_hinge": lambda z: torch.maximum(-z, torch.clamp(0.5 - 0.5 * z, min=0.0)),
}


def pu_risks(
    scores: torch.Tensor, positive_weight: torch.Tensor, unlabeled_weight: torch.Tensor, loss: str, eta: float = 0.0
) -> tuple[torch.Tensor, torch.Tensor]:
    """The two parts of the PU risk of a batch (Kiryo et al. 2017, equation 6), from scores g(x) and the weights of rows.

    They are R_p = π mean_P ℓ(g) and R_n = mean_U ℓ(−g) − (1 − η) π mean_P ℓ(−g), which estimates a quantity that is never
    negative.  ``positive_weight`` is π/n_p where a row is a labeled positive and ``unlabeled_weight`` 1/n_u where it is
    unlabeled, else 0.  With η of :mod:`pulib._known_negatives` U holds known negatives, so that less of P is to be taken off.
    """
    function = LOSSES[loss]
    positive = (positive_weight * function(scores)).sum()
    taken_off = (1.0 - eta) * positive_weight if eta else positive_weight
    negative = ((unlabeled_weight - taken_off) * function(-scores)).sum()
    return positive, negative


def pu_objective(
    positive: torch.Tensor, negative: torch.Tensor, risk: str, beta: float, gamma: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """What is differentiated, what is reported, and where the non-negative correction acts (Kiryo et al. 2017, algorithm 1).

    uPU descends R_p + R_n.  nnPU does too, but where R_n < −β, where its step is along +γ ∇R_n: it climbs out of the negative
    part, and R_p has no say.  The risk reported is R_p + R_n, or R_p − β where the correction acts.
    """
    total = positive + negative
    if risk == "upu":
        return total, total.detach(), torch.zeros_like(negative, dtype=torch.bool)
    corrected = negative.detach() < -beta
    objective = torch.where(corrected, -gamma * negative, total)
    return objective, torch.where(corrected, positive - beta, total).detach(), corrected


def variational_loss(
    log_phi: torch.Tensor, log_phi_population: torch.Tensor, weights: torch.Tensor, population_weights: torch.Tensor
) -> torch.Tensor:
    """VPU's log mean over the population of Φ, less the mean over labeled rows of log Φ (Chen et al. 2020, equation 6).

    The tensors hold logarithms of Φ and the weights of the rows in either mean, each of which sums to about 1.  The loss is
    least for a Φ that is a multiple of Pr(y = 1 | x); the multiple has no effect.
    """
    return torch.logsumexp(log_phi_population + torch.log(population_weights), 0) - (weights * log_phi).sum()
