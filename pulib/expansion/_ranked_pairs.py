"""Signed sums over ranked pairs: choice of the kernel, cells and threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise

import numpy as np

from pulib.expansion._pairwise import (
    CELL_WIDTH,
    CUTOFF,
    TOLERANCE,
    Cells,
    RunningSums,
    assign_cells,
    exact_sums,
    fast_sums,
    find_neighbors,
)

#: Least number of rows for which ``method="auto"`` uses the fast sums, at which both take about the same time.
FAST_FROM = 128


def interpolation_degree(half_width: float, tolerance: float = TOLERANCE) -> int:
    """Number of Chebyshev nodes to interpolate the sigmoid's derivatives on an interval of the given half width.

    The kernels are analytic except for poles at odd multiples of i pi.  On the Bernstein ellipse whose height is a share ``s``
    of the way to the poles (sum of semi-axes rho), they stay below ``M = 2 / ((1 - s) pi)**3 + 1``.  The error of k nodes is
    therefore at most ``4 M rho**(1 - k) / (rho - 1)``.  The share that needs the fewest nodes is used.

    >>> interpolation_degree(2.0), interpolation_degree(1e-6)
    (30, 4)
    """
    needed = []
    for share in (0.5, 0.6, 0.7, 0.8, 0.9):
        height = share * np.pi / half_width
        rho = height + np.hypot(height, 1.0)
        bound = 4.0 * (2.0 / ((1.0 - share) * np.pi) ** 3 + 1.0) / (rho - 1.0)
        needed.append(1.0 + np.log(bound / tolerance) / np.log(rho))
    return max(4, int(np.ceil(min(needed))))


@lru_cache(maxsize=64)
def _chebyshev(k: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes of the first kind on [-1, 1] and their barycentric weights."""
    angles = (2 * np.arange(k) + 1) * np.pi / (2 * k)
    return np.cos(angles), (-1.0) ** np.arange(k) * np.sin(angles)


class RankedRows:
    """Rows grouped by rank, for the sums, computed once per fit.

    Equal scores share a rank: their pairs are undecided.  ``n_decided`` is the number of unordered pairs with different ranks.
    """

    def __init__(self, scores: np.ndarray):
        _, self.rank, counts = np.unique(scores, return_inverse=True, return_counts=True)
        self.order = np.argsort(self.rank, kind="stable")
        self.starts = np.concatenate([[0], np.cumsum(counts)])
        n = float(len(scores))
        self.n_decided = 0.5 * (n * n - float(np.sum(counts.astype(float) ** 2)))

    def __len__(self) -> int:
        return len(self.rank)

    def sums(
        self, f: np.ndarray, weights: np.ndarray, derivative: int, method: str = "auto", n_jobs: int = 1
    ) -> tuple[np.ndarray, np.ndarray]:
        """Sums of ``w_j g(f_i - f_j)`` over the rows j ranked below i, and over those ranked above, for each column of weights.

        ``g`` is the sigmoid or its first or second ``derivative``.  ``method`` is "auto", "exact" or "fast".  Exact sums use
        ``n_jobs`` threads but do not depend on their number, because each row is summed by one thread.
        """
        f = np.ascontiguousarray(f, dtype=np.float64)
        weights = np.ascontiguousarray(weights, dtype=np.float64)
        before = np.empty_like(weights)
        after = np.empty_like(weights)
        if method == "exact" or (method == "auto" and len(f) < FAST_FROM):
            self._exact(f, weights, derivative, n_jobs, before, after)
        else:
            self._fast(f, weights, derivative, before, after)
        return before, after

    def _exact(
        self, f: np.ndarray, weights: np.ndarray, derivative: int, n_jobs: int, before: np.ndarray, after: np.ndarray
    ) -> None:
        n = len(f)
        if n_jobs <= 1 or n < 512:
            exact_sums(f, self.rank, weights, derivative, 0, n, before, after)
            return
        edges = np.linspace(0, n, 4 * n_jobs + 1).astype(np.intp)
        with ThreadPoolExecutor(n_jobs) as pool:
            done = [pool.submit(exact_sums, f, self.rank, weights, derivative, a, b, before, after) for a, b in pairwise(edges)]
            for task in done:
                task.result()

    def _fast(self, f: np.ndarray, weights: np.ndarray, derivative: int, before: np.ndarray, after: np.ndarray) -> None:
        spread = float(f.max() - f.min()) if len(f) else 0.0
        width = min(spread, CELL_WIDTH) or 1.0
        nodes, node_weights = _chebyshev(interpolation_degree(0.5 * width))
        cell = np.zeros(len(f), dtype=np.intp)
        if spread <= CELL_WIDTH:
            centers = np.array([0.5 * (f.max() + f.min())])
        else:
            buffer = np.empty(min(len(f), int(spread / width) + 2))
            centers = buffer[: assign_cells(f, np.argsort(f), width, cell, buffer)]
        low, high = np.empty((2, len(centers)), dtype=np.intp)
        find_neighbors(centers, CUTOFF + width, low, high)
        order = self.order
        cells = Cells(cell[order], centers, low, high, 0.5 * width, nodes, node_weights)
        n_columns = weights.shape[1]
        running = RunningSums(np.zeros((len(centers), n_columns, len(nodes))), np.zeros((len(centers) + 2, n_columns)))
        ranked = np.empty((2, *before.shape))
        fast_sums(f[order], self.starts, weights[order], derivative, cells, running, *ranked)
        before[order], after[order] = ranked
