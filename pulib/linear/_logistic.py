"""Solve the convex PU problem with the logistic loss by Newton's method."""

from __future__ import annotations

import numpy as np

from pulib.linear._losses import LOSS_CODES, unlabeled_slopes
from pulib.linear._normal_equations import solve_curved
from pulib.linear._problem import ROUNDING, Problem, Solution, certified


def solve_logistic(problem: Problem, tol: float, max_iter: int) -> Solution:
    """Solve by Newton steps with backtracking."""
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
        direction = solve_curved(problem, problem.weights * (slopes * (1 - slopes) * (1.0 / m)), -gradient)
        descent = gradient @ direction
        along = problem.scores(direction)
        length = 1.0
        while -descent > ROUNDING * max(1.0, abs(value)) and length > 1e-12:
            new_value = problem.value(w + length * direction, scores + length * along)
            if new_value <= value + 1e-4 * length * descent:
                break
            length *= 0.5
        else:
            # rounding hides any further descent of J, but a full step may still reduce the gradient, and so the certificate
            length = 1.0
            there = problem.gradient(w + direction)
            if not there @ there < gradient @ gradient:
                break
        w += length * direction
        scores = problem.scores(w)
        value = problem.value(w, scores)
    return certified(problem, w, n_iter)
