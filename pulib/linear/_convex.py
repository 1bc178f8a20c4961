"""The minimum of the convex PU problem, with a certificate of how far it is: one solver per loss.

Certificates: for the double hinge the duality gap; for the smooth losses |∇J|²/(2λ), which bounds J − min J because J is
λ-strongly convex.
"""

from __future__ import annotations

from pulib.linear._double_hinge import solve_double_hinge
from pulib.linear._logistic import solve_logistic
from pulib.linear._normal_equations import solve_curved
from pulib.linear._problem import Problem, Solution, certified


def minimize_pu_risk(problem: Problem, *, tol: float, max_iter: int, seed: int = 0) -> Solution:
    """Minimize J to a certified distance: until the certificate is at most ``tol * max(1, |J|)``.

    ``max_iter`` counts Newton steps, or sweeps over the dual coordinates, whose order ``seed`` decides.  Where ``gap`` is above
    the tolerance, ``max_iter`` was reached, or rounding leaves no descent.  The solution is never worse than weights of 0 for
    the double hinge.
    """
    if problem.X.shape[0] == 0:  # a stream that has brought only labeled rows so far
        w = problem.pull / problem.alpha
        return Solution(w, float(-0.5 * problem.alpha * (w @ w)), 0.0, 1)
    if problem.loss == "square":  # h'(g) = ½(g + 1) makes ∇J linear in w
        curvature = 0.5 / problem.X.shape[0]
        target = problem.pull - curvature * problem.combine(problem.weights)
        return certified(problem, solve_curved(problem, curvature * problem.weights, target), 1)
    if problem.loss == "logistic":
        return solve_logistic(problem, tol, max_iter)
    return solve_double_hinge(problem, tol, max_iter, seed)
