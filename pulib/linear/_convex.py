"""Solvers of the convex PU problem, each with a certificate of how far it is from the minimum.

The problem is min_w J(w) = λ/2 |w|² − c·w + (1/m) Σ_j s·h(w·x_j): c is the labeled rows' pull (π times their mean), the
sum runs over the unlabeled rows (du Plessis, Niu, Sugiyama 2015; OPU paper, equation 5), and s is 1 but for the hindsight
problem of a stream, where it is the unlabeled rows' share.

Certificates: for the double hinge the duality gap; for the smooth losses |∇J|²/(2λ), which bounds J − min J because J is
λ-strongly convex.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, cg

from pulib._random import new_state
from pulib.linear._dual import ascend_csr, ascend_dense
from pulib.linear._losses import LOSS_CODES, sum_unlabeled_loss, unlabeled_slopes

# Up to this width the normal equations are formed and factored; beyond it conjugate gradients need products with X only.
_WIDEST_FACTORED = 3000


@dataclass(frozen=True)
class Solution:
    """A minimizer: the weights (the constant feature's last), J there, the certificate, and what it took."""

    w: np.ndarray
    objective: float
    gap: float
    n_iter: int
    multipliers: np.ndarray | None = None


@dataclass(frozen=True)
class Problem:
    """The convex PU problem over the unlabeled rows ``X`` with a constant feature ``bias``.

    Attributes
    ----------
    X : float array or CSR matrix of shape (m, d)
    pull : float64 array of shape (d + 1,)
        c.
    alpha : float
        λ.
    loss : str
    bias : float
        1 or 0; with 0 the last weight stays 0.
    share : float
        s.
    """

    X: Any
    pull: np.ndarray
    alpha: float
    loss: str
    bias: float = 1.0
    share: float = 1.0

    def scores(self, w: np.ndarray) -> np.ndarray:
        """w·(x_j, bias) for every row."""
        return np.asarray(self.X @ w[:-1] + self.bias * w[-1], dtype=np.float64)

    def combine(self, a: np.ndarray) -> np.ndarray:
        """Σ_j a_j (x_j, bias)."""
        return np.append(self.X.T @ a, self.bias * a.sum())

    def value(self, w: np.ndarray, scores: np.ndarray | None = None) -> float:
        """J(w)."""
        scores = self.scores(w) if scores is None else scores
        risk = self.share * sum_unlabeled_loss(scores, LOSS_CODES[self.loss]) / len(scores)
        return float(0.5 * self.alpha * (w @ w) - self.pull @ w + risk)

    def gradient(self, w: np.ndarray, scores: np.ndarray | None = None) -> np.ndarray:
        """∇J(w), for the smooth losses."""
        scores = self.scores(w) if scores is None else scores
        slopes = np.empty_like(scores)
        unlabeled_slopes(scores, LOSS_CODES[self.loss], slopes)
        return self.alpha * w - self.pull + self.combine(slopes) * (self.share / len(scores))


def minimize_pu_risk(problem: Problem, *, tol: float, max_iter: int, seed: int = 0) -> Solution:
    """Minimize J to a certified distance.

    Parameters
    ----------
    problem : Problem
    tol : float
        Stop when the certificate is at most ``tol * max(1, |J|)``.
    max_iter : int
        Newton steps, or sweeps over the dual coordinates.
    seed : int
        For the order of the sweeps.

    Returns
    -------
    Solution
        Where ``gap`` is above the tolerance, ``max_iter`` was reached.
    """
    if problem.loss == "square":
        return _solve_square(problem)
    if problem.loss == "logistic":
        return _solve_newton(problem, tol, max_iter)
    return _solve_dual(problem, tol, max_iter, seed)


def _certified(problem: Problem, w: np.ndarray, n_iter: int) -> Solution:
    gradient = problem.gradient(w)
    return Solution(w, problem.value(w), float(gradient @ gradient) / (2 * problem.alpha), n_iter)


def _solve_curved(problem: Problem, curvatures: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Solve (λI + Zᵀ diag(curvatures) Z) w = target, Z the rows with their constant feature."""
    m, d = problem.X.shape
    if d <= _WIDEST_FACTORED:
        weighted = problem.X.T.multiply(curvatures).tocsr() if sparse.issparse(problem.X) else problem.X.T * curvatures
        H = np.empty((d + 1, d + 1))
        block = weighted @ problem.X
        H[:d, :d] = block.toarray() if sparse.issparse(block) else block
        H[d, :d] = H[:d, d] = problem.bias * (problem.X.T @ curvatures)
        H[d, d] = problem.bias**2 * curvatures.sum()
        H[np.diag_indices(d + 1)] += problem.alpha
        return linalg.solve(H, target, assume_a="pos", overwrite_a=True)
    operator = LinearOperator(
        (d + 1, d + 1), matvec=lambda v: problem.alpha * v + problem.combine(curvatures * problem.scores(v)), dtype=np.float64
    )
    return cg(operator, target, rtol=1e-12, maxiter=20 * (m + 10))[0]


def _solve_square(problem: Problem) -> Solution:
    """The closed form: h'(g) = ½(g + 1) makes ∇J linear in w."""
    m = problem.X.shape[0]
    curvature = 0.5 * problem.share / m
    target = problem.pull - curvature * problem.combine(np.ones(m))
    return _certified(problem, _solve_curved(problem, np.full(m, curvature), target), 1)


def _solve_newton(problem: Problem, tol: float, max_iter: int) -> Solution:
    """Newton steps with backtracking, for the logistic loss."""
    w = np.zeros(problem.X.shape[1] + 1)
    scores = problem.scores(w)
    value = problem.value(w, scores)
    m = len(scores)
    n_iter = 0
    while n_iter < max_iter:
        n_iter += 1
        gradient = problem.gradient(w, scores)
        if gradient @ gradient <= 2 * problem.alpha * tol * max(1.0, abs(value)):
            break
        slopes = np.empty_like(scores)
        unlabeled_slopes(scores, LOSS_CODES["logistic"], slopes)
        direction = _solve_curved(problem, slopes * (1 - slopes) * (problem.share / m), -gradient)
        descent = gradient @ direction
        along = problem.scores(direction)
        length = 1.0
        while length > 1e-12:
            new_value = problem.value(w + length * direction, scores + length * along)
            if new_value <= value + 1e-4 * length * descent:
                break
            length *= 0.5
        else:
            break  # no descent left in floating point; the certificate tells how good that is
        w += length * direction
        scores = problem.scores(w)
        value = problem.value(w, scores)
    return _certified(problem, w, n_iter)


def _dual_value(problem: Problem, a: np.ndarray, w: np.ndarray) -> float:
    return float(-problem.share * np.mean(np.maximum(-a, a - 1.0)) - 0.5 * problem.alpha * (w @ w))


def _solve_dual(problem: Problem, tol: float, max_iter: int, seed: int) -> Solution:
    """Dual coordinate ascent, for the double hinge; the tolerance of the sweeps is tightened until the gap closes.

    The kernels know s = 1 only, so they are given J/s: c/s and λ/s in the places of c and λ.
    """
    m = problem.X.shape[0]
    alpha, pull = problem.alpha / problem.share, problem.pull / problem.share
    csr = sparse.issparse(problem.X)
    squares = (
        np.asarray(problem.X.multiply(problem.X).sum(axis=1)).ravel() if csr else np.einsum("ij,ij->i", problem.X, problem.X)
    )
    squares = np.maximum(squares.astype(np.float64) + problem.bias**2, np.finfo(float).tiny)
    a = np.full(m, 0.5)
    rows = np.arange(m)
    state = new_state(seed)
    done, goal = 0, 0.1
    while True:
        w = (pull - problem.combine(a) / m) / alpha
        objective = problem.value(w)
        gap = objective - _dual_value(problem, a, w)
        if gap <= tol * max(1.0, abs(objective)) or done >= max_iter:
            return Solution(w, objective, max(gap, 0.0), max(done, 1), a)
        sweeps = min(max_iter - done, 100)
        rest = (squares, a, w, alpha, problem.bias, sweeps, goal, rows, state)
        done += (
            ascend_csr(problem.X.data, problem.X.indices, problem.X.indptr, *rest) if csr else ascend_dense(problem.X, *rest)
        )
        goal = max(goal * 0.3, 1e-14)
