"""Linear neighborhood propagation (Wang and Zhang, 2006): labels spread along weights that reconstruct rows from neighbors.

The weights of each row solve a quadratic program on the simplex, in a kernel (bounded by arithmetic on k x k numbers in cache);
the propagation is one sparse linear system.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, bicgstab, spsolve
from sklearn.neighbors import NearestNeighbors

from pulib._compiled import kernel

#: Tolerated violation of the optimality conditions, as a share of the Gram matrix's trace.
_GAP = 1e-10
_MAX_STEPS = 10_000
#: Rows per call of the kernel; Ctrl-C is handled between calls.
_ROWS = 1000


@kernel
def simplex_weights(gram, gap, max_steps, w):
    """Minimize ``w' gram w`` over the simplex by steps along the most violating pair; ``w`` is overwritten.

    Returns the remaining violation: the greatest gradient among the weights in use minus the least of all.
    """
    k = len(w)
    gradient = np.zeros(k)
    for a in range(k):
        w[a] = 1.0 / k
    for a in range(k):
        for b in range(k):
            gradient[a] += gram[a, b] * w[b]
    violation = 0.0
    for _ in range(max_steps):
        up = 0
        down = -1
        for a in range(k):
            if gradient[a] < gradient[up]:
                up = a
            if w[a] > 0.0 and (down < 0 or gradient[a] > gradient[down]):
                down = a
        violation = gradient[down] - gradient[up]
        if violation <= gap:
            break
        curvature = gram[up, up] + gram[down, down] - 2.0 * gram[up, down]
        step = w[down]
        if curvature > 0.0:
            step = min(step, violation / curvature)
        w[up] += step
        w[down] = 0.0 if step == w[down] else w[down] - step
        for a in range(k):
            gradient[a] += step * (gram[a, up] - gram[a, down])
    return violation


@kernel
def neighborhood_weights(X, neighbors, ridge, gap, max_steps, start, stop, weights):
    """Fill rows ``start:stop`` of ``weights``, shape (n, k), with the convex combinations of neighbors nearest to each row."""
    d = X.shape[1]
    k = neighbors.shape[1]
    gram = np.empty((k, k))
    for i in range(start, stop):
        trace = 0.0
        for a in range(k):
            for b in range(a + 1):
                s = 0.0
                for c in range(d):
                    s += (X[i, c] - X[neighbors[i, a], c]) * (X[i, c] - X[neighbors[i, b], c])
                gram[a, b] = s
                gram[b, a] = s
            trace += gram[a, a]
        for a in range(k):
            gram[a, a] += ridge * trace / k if trace > 0.0 else 1.0
        simplex_weights(gram, gap * trace, max_steps, weights[i])


def neighborhood_matrix(X: np.ndarray, n_neighbors: int, ridge: float) -> sparse.csr_array:
    """Matrix W of reconstruction weights, with ``n_neighbors`` non-negative entries per row that sum to one."""
    n = len(X)
    k = min(n_neighbors, n - 1)
    neighbors = NearestNeighbors(n_neighbors=k).fit(X).kneighbors(return_distance=False)
    weights = np.empty((n, k))
    for start in range(0, n, _ROWS):
        neighborhood_weights(X, neighbors, ridge, _GAP, _MAX_STEPS, start, min(n, start + _ROWS), weights)
    return sparse.csr_array((weights.ravel(), neighbors.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))


def propagate(W: sparse.csr_array, labels: np.ndarray, alpha: float) -> np.ndarray:
    """Solve ``(I - alpha W) f = (1 - alpha) labels``: the limit of the propagation."""
    n = len(labels)
    system = sparse.csr_array(sparse.eye_array(n) - alpha * W)
    right = (1.0 - alpha) * labels
    solution, failed = bicgstab(
        LinearOperator((n, n), matvec=system.dot), right, x0=labels.astype(float), rtol=1e-13, maxiter=1000
    )
    if failed or np.max(np.abs(system @ solution - right)) > 1e-12:
        solution = spsolve(system.tocsc(), right)
    return np.asarray(solution)
