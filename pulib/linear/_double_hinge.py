"""Solve the convex PU problem with the double hinge, by coordinate ascent on its dual, then proximal points by Newton steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from pulib._compiled import WORK, frozen, frozen_csr
from pulib._random import new_state
from pulib.linear._dual import Sweeps, ascend_csr, ascend_dense, best_multipliers
from pulib.linear._normal_equations import solve_curved
from pulib.linear._problem import Problem, Solution
from pulib.linear._stream import CsrRows

# After this many sweeps over the dual, Newton steps are usually faster.
_MOST_SWEEPS = 2000


def solve_double_hinge(problem: Problem, tol: float, max_iter: int, seed: int) -> Solution:
    """Solve by dual coordinate ascent; if it is slow (small λ, few rows), continue with Newton steps on the dual."""
    m = problem.X.shape[0]
    csr = sparse.issparse(problem.X)
    squares = (
        np.asarray(problem.X.multiply(problem.X).sum(axis=1)).ravel() if csr else np.einsum("ij,ij->i", problem.X, problem.X)
    )
    squares = np.maximum(squares.astype(np.float64) + problem.bias**2, np.finfo(float).tiny)
    a = np.full(m, 0.5)
    order, state = np.arange(m), new_state(seed)
    done, goal = 0, 0.1
    while True:
        swept = _from_multipliers(problem, a, done)
        if swept.gap <= tol * max(1.0, abs(swept.objective)):
            return swept
        if done >= max_iter:
            return _lower(swept, _from_multipliers(problem, a, done, np.zeros_like(swept.w)))
        if done >= _MOST_SWEEPS:
            return _finish_dual(problem, swept, tol, max_iter)
        w, most = swept.w.copy(), min(max_iter - done, 100)
        progress = np.array([m, np.inf, 0.0])
        while most > 0 and not progress[2]:
            part = min(most, max(1, WORK // max(1, problem.X.size)))
            sweeps = Sweeps(squares, problem.weights, problem.alpha, problem.bias, part, goal, order, state, progress)
            if csr:
                swept_now = ascend_csr(CsrRows(*frozen_csr(problem.X)), a, w, sweeps)
            else:
                swept_now = ascend_dense(frozen(problem.X), a, w, sweeps)
            done, most = done + swept_now, most - swept_now
        goal = max(goal * 0.3, 1e-14)


def _from_multipliers(problem: Problem, a: np.ndarray, n_iter: int, w: np.ndarray | None = None) -> Solution:
    """Return w(a), or the given ``w``, as a solution with its duality gap to the multipliers ``a``."""
    of_a = (problem.pull - problem.combine(problem.weights * a) * (1.0 / len(a))) / problem.alpha
    w = of_a if w is None else w
    objective = problem.value(w)
    dual = -np.mean(problem.weights * np.maximum(-a, a - 1.0)) - 0.5 * problem.alpha * (of_a @ of_a)
    return Solution(w, objective, max(objective - float(dual), 0.0), max(n_iter, 1), a)


def _finish_dual(problem: Problem, swept: Solution, tol: float, max_iter: int) -> Solution:
    """Take Newton steps from the sweeps' solution; if they fail, because large features make it far off, start from w = 0."""
    first = _solve_dual_newton(problem, swept, tol, max_iter)
    if first.gap <= tol * max(1.0, abs(first.objective)):
        return first
    nothing = _from_multipliers(problem, np.full(problem.X.shape[0], 0.5), first.n_iter, np.zeros_like(first.w))
    again = _solve_dual_newton(problem, nothing, tol, max_iter)
    return _lower(*((again, first) if again.gap <= first.gap else (first, again)))


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
    """Return scores, weights, multipliers and value after a step that lowers ``function`` enough, or None if no step does."""
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
    """Solve by proximal points of the dual, each found by semismooth Newton steps on the primal.

    Around multipliers b, h is replaced by its smooth lower bound max_a {a g − h*(a) − (a − b)²/(2σ)}, whose slope is a
    coordinate's best multiplier.  The minimizer gives the next b.  The dual is piecewise quadratic, so a few rounds suffice
    once σ is large.
    """
    best, sigma, w, done = start, 1.0, start.w.copy(), start.n_iter
    lowest = best
    scale = 1.0 / problem.X.shape[0]
    while done < max_iter and sigma < 1e12:
        b: Any = best.multipliers

        def smoothed(g: np.ndarray, w: np.ndarray, b: np.ndarray = b, sigma: float = sigma) -> tuple[np.ndarray, float]:
            a = best_multipliers(b, g, sigma)
            h = a * g - np.maximum(-a, a - 1.0) - (a - b) ** 2 / (2 * sigma)
            return a, float(0.5 * problem.alpha * (w @ w) - problem.pull @ w + scale * (problem.weights * h).sum())

        g = problem.scores(w)
        a, value = smoothed(g, w)
        for _ in range(100):
            gradient = problem.alpha * w - problem.pull + problem.combine(problem.weights * a) * scale
            if gradient @ gradient <= 0.02 * problem.alpha * tol:
                break
            moving = (a > 0) & (a < 1) & (a != 0.5)
            # if too few rows move to determine the step, use the curvature of all rows, an upper bound
            for rows, longest in ((moving, 1.0), (np.ones_like(moving), np.inf)):
                direction = solve_curved(problem.restricted(rows), sigma * scale * problem.weights[rows], -gradient)
                step = _descend(smoothed, g, w, problem.scores(direction), direction, value, gradient @ direction, longest)
                if step is not None:
                    break
            done += 1
            if step is None:
                break
            g, w, a, value = step
        reached = _from_multipliers(problem, a, done, w)
        best = reached if reached.gap <= best.gap else Solution(best.w, best.objective, best.gap, done, a)
        if best.gap <= tol * max(1.0, abs(best.objective)):
            return best
        lowest = min(lowest, reached, key=lambda solution: solution.objective)
        sigma *= 10
    return _lower(best, lowest)


def _lower(solution: Solution, other: Solution) -> Solution:
    """Replace the weights of ``solution`` by those of ``other`` if J is lower there; keep its lower bound of the minimum."""
    if not other.objective < solution.objective:
        return solution
    gap = max(solution.gap - (solution.objective - other.objective), 0.0)
    return Solution(other.w, other.objective, gap, solution.n_iter, solution.multipliers)
