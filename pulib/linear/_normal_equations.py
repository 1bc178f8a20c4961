"""Linear systems of the convex PU problem: λI plus products of the rows, weighted by the loss's curvature."""

from __future__ import annotations

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, cg

from pulib.linear._problem import Problem

#: With more features than this, conjugate gradients replace the factorization, since they only need products with X.
WIDEST_FACTORED = 3000


def solve_curved(problem: Problem, curvatures: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Solve (λI + Zᵀ diag(curvatures) Z) w = target, where Z are the rows with their constant feature."""
    m, d = problem.X.shape
    if d <= WIDEST_FACTORED:
        weighted = problem.X.T.multiply(curvatures).tocsr() if sparse.issparse(problem.X) else problem.X.T * curvatures
        H = np.empty((d + 1, d + 1))
        block = weighted @ problem.X
        H[:d, :d] = block.toarray() if sparse.issparse(block) else block
        H[d, :d] = H[:d, d] = problem.bias * (problem.X.T @ curvatures)
        H[d, d] = problem.bias**2 * curvatures.sum()
        H[np.diag_indices(d + 1)] += problem.alpha
        try:
            # no check of the condition: features of very different scales do no harm, and the certificate reveals errors
            return linalg.cho_solve(linalg.cho_factor(H), target)
        except linalg.LinAlgError:
            return solve_by_factors(problem, curvatures, target)
    operator = LinearOperator(
        (d + 1, d + 1), matvec=lambda v: problem.alpha * v + problem.combine(curvatures * problem.scores(v)), dtype=np.float64
    )
    return cg(operator, target, rtol=1e-12, maxiter=20 * (m + 10))[0]


def solve_by_factors(problem: Problem, curvatures: np.ndarray, target: np.ndarray) -> np.ndarray:
    """As :func:`solve_curved`, from singular values of the weighted rows.

    If large features depend on each other, λ would be lost to rounding when added to their products.
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
