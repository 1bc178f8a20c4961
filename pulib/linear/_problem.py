"""The convex PU problem and its solution, shared by the solvers.

The problem is min_w J(w) = λ/2 |w|² − c·w + (1/m) Σ_j s_j h(w·x_j), where c is π times the mean of the labeled rows, and the
sum runs over the unlabeled rows (du Plessis, Niu, Sugiyama 2015; OPU paper, equation 5).  By default, s_j is 1.  For weighted
rows, its mean is 1; for a stream in hindsight, s_j is the weight with which the row was charged, times the unlabeled share.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pulib.linear._losses import LOSS_CODES, sum_unlabeled_loss, unlabeled_slopes

#: Rounding error of J, relative to J.
ROUNDING = 1e-15


@dataclass(frozen=True)
class Solution:
    """Weights (the constant feature's last), J there, the certificate (``gap``), iterations, and dual multipliers."""

    w: np.ndarray
    objective: float
    gap: float
    n_iter: int
    multipliers: np.ndarray | None = None


@dataclass(frozen=True)
class Problem:
    """The convex PU problem over the unlabeled rows ``X`` with a constant feature ``bias``."""

    X: Any  # array or CSR matrix of floats, (m, d)
    pull: np.ndarray  # c, (d + 1,)
    alpha: float  # λ
    loss: str
    bias: float = 1.0  # 1 or 0; with 0 the last weight stays 0
    weights: np.ndarray = None  # type: ignore[assignment]  # filled in below

    def __post_init__(self) -> None:
        if self.weights is None:
            object.__setattr__(self, "weights", np.ones(self.X.shape[0]))

    def scores(self, w: np.ndarray) -> np.ndarray:
        """Return w·(x_j, bias) for every row."""
        return np.asarray(self.X @ w[:-1] + self.bias * w[-1], dtype=np.float64)

    def combine(self, a: np.ndarray) -> np.ndarray:
        """Return Σ_j a_j (x_j, bias)."""
        return np.append(self.X.T @ a, self.bias * a.sum())

    def restricted(self, rows: np.ndarray) -> Problem:
        """Restrict the problem to some rows, for curvatures that are 0 elsewhere."""
        return replace(self, X=self.X[rows], weights=self.weights[rows])

    def value(self, w: np.ndarray, scores: np.ndarray | None = None) -> float:
        """Return J(w)."""
        scores = self.scores(w) if scores is None else scores
        risk = sum_unlabeled_loss(scores, self.weights, LOSS_CODES[self.loss]) / len(scores)
        return float(0.5 * self.alpha * (w @ w) - self.pull @ w + risk)

    def gradient(self, w: np.ndarray, scores: np.ndarray | None = None) -> np.ndarray:
        """Return ∇J(w), for the smooth losses."""
        scores = self.scores(w) if scores is None else scores
        slopes = np.empty_like(scores)
        unlabeled_slopes(scores, LOSS_CODES[self.loss], slopes)
        return self.alpha * w - self.pull + self.combine(self.weights * slopes) * (1.0 / len(scores))


def certified(problem: Problem, w: np.ndarray, n_iter: int) -> Solution:
    """Certify a solution for a smooth loss: |∇J|²/(2λ) bounds J − min J because J is λ-strongly convex."""
    gradient = problem.gradient(w)
    return Solution(w, problem.value(w), float(gradient @ gradient) / (2 * problem.alpha), n_iter)
