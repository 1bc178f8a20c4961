"""Solve the convex PU problem, with one solver per loss, and certify the distance from the minimum.

The certificate is the duality gap for the double hinge, and |∇J|²/(2λ) for the smooth losses, which bounds J − min J because
J is λ-strongly convex.
"""

from __future__ import annotations

from pulib.linear._double_hinge import solve_double_hinge
from pulib.linear._logistic import solve_logistic
from pulib.linear._normal_equations import solve_curved
from pulib.linear._problem import Problem, Solution, certified


def minimize_pu_risk(problem: Problem, *, tol: float, max_iter: int, seed: int = 0) -> Solution:
    """Minimize J until the certificate is at most ``tol * max(1, |J|)``.

    ``max_iter`` limits Newton steps, or sweeps over the dual coordinates in an order drawn from ``seed``.  A ``gap`` above the
    tolerance means that ``max_iter`` was reached, or that rounding prevents further descent.  For the double hinge, the
    solution is never worse than w = 0.
    """
    if problem.X.shape[0] == 0:  # a stream with only labeled rows so far
        w = problem.pull / problem.alpha
        return Solution(w, float(-0.5 * problem.alpha * (w @ w)), 0.0, 1)
    if problem.loss == "square":  # h'(g) = ½(g + 1) makes ∇J linear in w
        curvature = 0.5 / problem.X.shape[0]
        target = problem.pull - curvature * problem.combine(problem.weights)
        return certified(problem, solve_curved(problem, curvature * problem.weights, target), 1)
    if problem.loss == "logistic":
        return solve_logistic(problem, tol, max_iter)
    return solve_double_hinge(problem, tol, max_iter, seed)
