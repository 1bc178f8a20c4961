"""The minimum of the convex PU problem, with a certificate of how far it is: one solver per loss.

Certificates: for the double hinge the duality gap; for the smooth losses |∇J|²/(2λ), which bounds J − min J because J is
λ-strongly convex.
"""

from __future__ import annotations

from pulib.linear._double_hinge import solve_double_hinge
from pulib.linear._logistic import solve_logistic
from pulib.linear._problem import Problem, Solution
from pulib.linear._square import solve_square


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
    if problem.X.shape[0] == 0:  # a stream that has brought only labeled rows so far
        w = problem.pull / problem.alpha
        return Solution(w, float(-0.5 * problem.alpha * (w @ w)), 0.0, 1)
    if problem.loss == "square":
        return solve_square(problem)
    if problem.loss == "logistic":
        return solve_logistic(problem, tol, max_iter)
    return solve_double_hinge(problem, tol, max_iter, seed)
