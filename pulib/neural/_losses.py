"""Surrogate losses, the PU risks of a batch, and the objectives to differentiate.

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
    """Compute the two parts of the PU risk of a batch (Kiryo et al. 2017, equation 6) from scores g(x) and row weights.

    They are R_p = π mean_P ℓ(g) and R_n = mean_U ℓ(−g) − (1 − η) π mean_P ℓ(−g); the latter estimates a non-negative quantity.
    ``positive_weight`` is π/n_p for labeled positives and ``unlabeled_weight`` is 1/n_u for unlabeled rows, else 0.  With
    η > 0 (see :mod:`pulib._known_negatives`), U includes known negatives, so that less of P is subtracted.
    """
    function = LOSSES[loss]
    positive = (positive_weight * function(scores)).sum()
    taken_off = (1.0 - eta) * positive_weight if eta else positive_weight
    negative = ((unlabeled_weight - taken_off) * function(-scores)).sum()
    return positive, negative


def pu_objective(
    positive: torch.Tensor, negative: torch.Tensor, risk: str, beta: float, gamma: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the objective, the reported risk, and whether the non-negative correction applies.

    uPU descends R_p + R_n.  So does nnPU unless R_n < −β: it then steps along +γ ∇R_n, which raises R_n and ignores R_p (Kiryo
    et al. 2017, algorithm 1).  The reported risk is R_p + R_n, or R_p − β if the correction applies.
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
    """VPU's loss: log of the mean Φ over the population, minus the mean log Φ over labeled rows (Chen et al. 2020, equation 6).

    Arguments are log Φ and the weights of rows in the two means, which sum to about 1.  Any multiple of Pr(y = 1 | x) minimizes
    the loss.
    """
    return torch.logsumexp(log_phi_population + torch.log(population_weights), 0) - (weights * log_phi).sum()
