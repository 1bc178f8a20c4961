"""Solvers of the convex PU problem, each with a certificate of how far it is from the minimum.

The problem is min_w J(w) = λ/2 |w|² − c·w + (1/m) Σ_j s·h(w·x_j): c is the labeled rows' pull (π times their mean), the
sum runs over the unlabeled rows (du Plessis, Niu, Sugiyama 2015; OPU paper, equation 5), and s is 1 but for the hindsight
problem of a stream, where it is the unlabeled rows' share.

Certificates: for the double hinge the duality gap; for the smooth losses |∇J|²/(2λ), which bounds J − min J because J is
λ-strongly convex.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, cg

from pulib._compiled import frozen, frozen_csr
from pulib._random import new_state
from pulib.linear._dual import ascend_csr, ascend_dense, best_multipliers
from pulib.linear._losses import LOSS_CODES, sum_unlabeled_loss, unlabeled_slopes

# Up to this width the normal equations are formed and factored; beyond it conjugate gradients need products with X only.
_WIDEST_FACTORED = 3000

# A share of J that is lost in its rounding.
_ROUNDING = 1e-15

# Sweeps over the dual after which Newton steps are the better bet.
_MOST_SWEEPS = 2000


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

    def restricted(self, rows: np.ndarray) -> Problem:
        """The same with some of the rows only, for curvatures that vanish on the others."""
        return Problem(self.X[rows], self.pull, self.alpha, self.loss, self.bias, self.share)

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
        Where ``gap`` is above the tolerance, ``max_iter`` was reached, or rounding leaves no descent.  Never worse than weights
        of 0 for the double hinge.
    """
    if problem.share == 0:  # a stream that has labeled rows only so far
        w = problem.pull / problem.alpha
        return Solution(w, float(-0.5 * problem.alpha * (w @ w)), 0.0, 1)
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
        try:
            # its condition is not asked for: features of very different sizes do no harm, and there is the certificate
            return linalg.cho_solve(linalg.cho_factor(H), target)
        except linalg.LinAlgError:
            return _solve_by_factors(problem, curvatures, target)
    operator = LinearOperator(
        (d + 1, d + 1), matvec=lambda v: problem.alpha * v + problem.combine(curvatures * problem.scores(v)), dtype=np.float64
    )
    return cg(operator, target, rtol=1e-12, maxiter=20 * (m + 10))[0]


def _solve_by_factors(problem: Problem, curvatures: np.ndarray, target: np.ndarray) -> np.ndarray:
    """As :func:`_solve_curved`, from singular values of the weighted rows themselves.

    Where features of a great size depend on each other, λ is lost when it is added to products of theirs.
    """
    m, d = problem.X.shape
    R = np.empty((0, d + 1))
    step = max(d + 1, 4096)
    for start in range(0, m, step):
        rows = problem.X[start : start + step]
        rows = rows.toarray() if sparse.issparse(rows) else rows
        weighted = np.column_stack([rows, np.full(len(rows), problem.bias)]) * np.sqrt(curvatures[start : start + step, None])
        R = linalg.qr(np.vstack([R, weighted]), mode="r")[0][: d + 1]
    _, values, axes = linalg.svd(R)
    squares = np.zeros(d + 1)
    squares[: len(values)] = values**2
    return axes.T @ ((axes @ target) / (squares + problem.alpha))


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
        while -descent > _ROUNDING * max(1.0, abs(value)) and length > 1e-12:
            new_value = problem.value(w + length * direction, scores + length * along)
            if new_value <= value + 1e-4 * length * descent:
                break
            length *= 0.5
        else:
            # no descent left in floating point: the gradient, which the certificate is made of, may still have some
            length = 1.0
            there = problem.gradient(w + direction)
            if not there @ there < gradient @ gradient:
                break
        w += length * direction
        scores = problem.scores(w)
        value = problem.value(w, scores)
    return _certified(problem, w, n_iter)


def _solve_dual(problem: Problem, tol: float, max_iter: int, seed: int) -> Solution:
    """Dual coordinate ascent for the double hinge; where it crawls (small λ, few rows), Newton steps on the dual.

    The kernels know s = 1 only, so they are given J/s: c/s and λ/s in the places of c and λ.
    """
    m = problem.X.shape[0]
    alpha = problem.alpha / problem.share
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
        found = _from_multipliers(problem, a, done)
        if found.gap <= tol * max(1.0, abs(found.objective)):
            return found
        if done >= max_iter:
            return _lower(found, _from_multipliers(problem, a, done, np.zeros_like(found.w)))
        if done >= _MOST_SWEEPS:
            return _finish_dual(problem, found, tol, max_iter)
        sweeps = min(max_iter - done, 100)
        w = found.w.copy()
        rest = (squares, a, w, alpha, problem.bias, sweeps, goal, rows, state)
        done += ascend_csr(*frozen_csr(problem.X), *rest) if csr else ascend_dense(frozen(problem.X), *rest)
        goal = max(goal * 0.3, 1e-14)


def _from_multipliers(problem: Problem, a: np.ndarray, n_iter: int, w: np.ndarray | None = None) -> Solution:
    """The weights w(a), or others to go with the multipliers, with the duality gap between them."""
    of_a = (problem.pull - problem.combine(a) * (problem.share / len(a))) / problem.alpha
    w = of_a if w is None else w
    objective = problem.value(w)
    dual = -problem.share * np.mean(np.maximum(-a, a - 1.0)) - 0.5 * problem.alpha * (of_a @ of_a)
    return Solution(w, objective, max(objective - float(dual), 0.0), max(n_iter, 1), a)


def _finish_dual(problem: Problem, swept: Solution, tol: float, max_iter: int) -> Solution:
    """Newton steps from where the sweeps have got to, which may be far off for features of great size; then from w = 0."""
    found = _solve_dual_newton(problem, swept, tol, max_iter)
    if found.gap <= tol * max(1.0, abs(found.objective)):
        return found
    nothing = _from_multipliers(problem, np.full(problem.X.shape[0], 0.5), found.n_iter, np.zeros_like(found.w))
    again = _solve_dual_newton(problem, nothing, tol, max_iter)
    return _lower(*((again, found) if again.gap <= found.gap else (found, again)))


def _descend(
    function: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, float]],
    g: np.ndarray,
    w: np.ndarray,
    along: np.ndarray,
    direction: np.ndarray,
    value: float,
    slope: float,
    longest: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float] | None:
    """Scores, weights and what ``function`` gives there, after a step that lowers it enough; None where there is none.

    The step is halved until it does; a full one is doubled, up to ``longest``, as long as that lowers the function further.
    """
    length = 1.0
    while length > 1e-10:
        a, lower = function(g + length * along, w + length * direction)
        if lower <= value + 1e-4 * length * slope:
            break
        length *= 0.5
    else:
        return None
    while 1.0 <= length < longest:
        next_a, next_lower = function(g + 2 * length * along, w + 2 * length * direction)
        if not next_lower < lower:
            break
        length, a, lower = 2 * length, next_a, next_lower
    return g + length * along, w + length * direction, a, lower


def _solve_dual_newton(problem: Problem, start: Solution, tol: float, max_iter: int) -> Solution:
    """Proximal points of the dual, each by semismooth Newton steps on the primal.

    Around multipliers b, h is replaced by its smooth lower bound max_a {a g − h*(a) − (a − b)²/(2σ)}, whose slope is a
    coordinate's best multiplier; its minimizer gives the next b.  The dual is piecewise quadratic, so that few rounds reach
    the end once σ is large.
    """
    best, sigma, w, done = start, 1.0, start.w.copy(), start.n_iter
    lowest = best
    scale = problem.share / problem.X.shape[0]
    while done < max_iter and sigma < 1e12:
        b: Any = best.multipliers

        def smoothed(g: np.ndarray, w: np.ndarray, b: np.ndarray = b, sigma: float = sigma) -> tuple[np.ndarray, float]:
            a = best_multipliers(b, g, sigma)
            h = a * g - np.maximum(-a, a - 1.0) - (a - b) ** 2 / (2 * sigma)
            return a, float(0.5 * problem.alpha * (w @ w) - problem.pull @ w + scale * h.sum())

        g = problem.scores(w)
        a, value = smoothed(g, w)
        for _ in range(100):
            gradient = problem.alpha * w - problem.pull + problem.combine(a) * scale
            if gradient @ gradient <= 0.02 * problem.alpha * tol:
                break
            moving = (a > 0) & (a < 1) & (a != 0.5)
            # where too few rows move to tell the scale of the features, a bound on the curvature does: all rows'
            for rows, longest in ((moving, 1.0), (np.ones_like(moving), np.inf)):
                direction = _solve_curved(problem.restricted(rows), np.full(rows.sum(), sigma * scale), -gradient)
                step = _descend(smoothed, g, w, problem.scores(direction), direction, value, gradient @ direction, longest)
                if step is not None:
                    break
            done += 1
            if step is None:
                break
            g, w, a, value = step
        found = _from_multipliers(problem, a, done, w)
        best = found if found.gap <= best.gap else Solution(best.w, best.objective, best.gap, done, a)
        if best.gap <= tol * max(1.0, abs(best.objective)):
            return best
        lowest = min(lowest, found, key=lambda solution: solution.objective)
        sigma *= 10
    return _lower(best, lowest)


def _lower(found: Solution, other: Solution) -> Solution:
    """``found``, or the weights of another solution where they are better; what is below the minimum stays below it."""
    if not other.objective < found.objective:
        return found
    gap = max(found.gap - (found.objective - other.objective), 0.0)
    return Solution(other.w, other.objective, gap, found.n_iter, found.multipliers)
