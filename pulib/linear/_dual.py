"""Kernels of ``_double_hinge``: dual coordinate ascent for the double hinge.

The primal is min_w λ/2 |w|² − c·w + (1/m) Σ s_j h(w·x_j) with h(g) = max(0, ½ + ½g, g).  The conjugate of h is
h*(a) = max(−a, a − 1) on [0, 1], so the dual maximizes −(1/m) Σ s_j h*(a_j) − λ/2 |w(a)|², w(a) = (c − (1/m) Σ s_j a_j x_j)/λ.
The best value of one coordinate has a closed form: the multiplier at which the row's score reaches −1 or 1, or the kink ½.  Any
a gives a lower bound of the primal's minimum, and so a duality gap as a certificate.

Bounded by arithmetic for dense rows that fit in cache, otherwise by memory bandwidth: each update reads a row twice.  Rows
whose multiplier stays at 0, ½ or 1 are set aside until the others have converged (shrinking), because most rows end there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pulib._compiled import helper, inlined, kernel
from pulib._random import random_below
from pulib.linear._stream import _LANES, add_csr, dot_csr, dot_dense


class Sweeps(NamedTuple):
    """Parameters and state of sweeps over the dual coordinates in random order."""

    squares: np.ndarray  # (m,): |(x_j, bias)|², all positive
    weights: np.ndarray  # (m,): s_j
    alpha: float
    bias: float
    most: int  # sweeps per call
    goal: float  # stop if no violation in a sweep is larger
    order: np.ndarray  # (m,): workspace, any permutation of the rows
    state: np.ndarray  # of the random number generator
    progress: np.ndarray  # float64 (3,), kept between calls: number of active rows, margin, 1 once the goal is reached


@helper(fastmath=_LANES)
def add_dense_row(w, X, i, bias, step):
    """w <- w + step·(x_i, bias)."""
    d = X.shape[1]
    for j in range(d):
        w[j] += step * X[i, j]
    w[d] += step * bias


@inlined
def best_multiplier(a, g, reach):
    """Maximizer of a dual coordinate, if raising it from ``a`` by ``reach`` lowers the score ``g`` by one."""
    low = a + (g + 1.0) * reach
    if low < 0.5:
        return max(low, 0.0)
    high = a + (g - 1.0) * reach
    if high > 0.5:
        return min(high, 1.0)
    return 0.5


@kernel
def best_multipliers(a, g, reach):
    """:func:`best_multiplier` of every coordinate, with a common ``reach``."""
    out = np.empty_like(a)
    for i in range(a.shape[0]):
        out[i] = best_multiplier(a[i], g[i], reach)
    return out


@inlined
def violation(a, g):
    """Violation of optimality at a coordinate: the distance of 0 from the dual's subdifferential."""
    if a <= 0.0:
        return max(g + 1.0, 0.0)
    if a < 0.5:
        return abs(g + 1.0)
    if a == 0.5:
        return max(max(-1.0 - g, g - 1.0), 0.0)
    if a < 1.0:
        return abs(g - 1.0)
    return max(1.0 - g, 0.0)


@inlined
def settled(a, g, margin):
    """Whether a row's multiplier is 0, ½ or 1, and its score is more than ``margin`` away from where that would change."""
    if a <= 0.0:
        return g < -1.0 - margin
    if a >= 1.0:
        return g > 1.0 + margin
    return a == 0.5 and abs(g) < 1.0 - margin


@inlined
def _shuffle(rows, n, state):
    for k in range(n - 1, 0, -1):
        j = random_below(state, k + 1)
        rows[k], rows[j] = rows[j], rows[k]


@kernel
def ascend_dense(X, a, w, sweeps):
    """Sweep over the dual coordinates, update ``a`` and ``w`` = w(a) in place, and return the number of sweeps done.

    ``X`` is a float array of shape (m, d) in C order, ``a`` a float64 array of shape (m,), and ``w`` one of shape (d + 1,).
    """
    m, bias, rows = X.shape[0], sweeps.bias, sweeps.order
    active = np.int64(sweeps.progress[0])
    unit = sweeps.alpha * m
    margin = sweeps.progress[1]
    for sweep in range(sweeps.most):
        _shuffle(rows, active, sweeps.state)
        worst = 0.0
        k = 0
        while k < active:
            i = rows[k]
            g = dot_dense(w, X, i, bias)
            if settled(a[i], g, margin):
                active -= 1
                rows[k], rows[active] = rows[active], rows[k]
                continue
            worst = max(worst, violation(a[i], g))
            new = best_multiplier(a[i], g, unit / (sweeps.weights[i] * sweeps.squares[i]))
            if new != a[i]:
                add_dense_row(w, X, i, bias, -sweeps.weights[i] * (new - a[i]) / unit)
                a[i] = new
            k += 1
        margin = worst if worst > 0.0 else np.inf
        if worst <= sweeps.goal:
            if active == m:
                sweeps.progress[2] = 1.0
                return sweep + 1
            active = m
            margin = np.inf
    sweeps.progress[0], sweeps.progress[1] = active, margin
    return sweeps.most


@kernel
def ascend_csr(X, a, w, sweeps):
    """As :func:`ascend_dense`, for CsrRows."""
    data, indices, indptr = X.data, X.indices, X.indptr
    m, bias, rows = indptr.shape[0] - 1, sweeps.bias, sweeps.order
    active = np.int64(sweeps.progress[0])
    unit = sweeps.alpha * m
    margin = sweeps.progress[1]
    for sweep in range(sweeps.most):
        _shuffle(rows, active, sweeps.state)
        worst = 0.0
        k = 0
        while k < active:
            i = rows[k]
            start, stop = indptr[i], indptr[i + 1]
            g = dot_csr(w, data, indices, start, stop, bias)[0]
            if settled(a[i], g, margin):
                active -= 1
                rows[k], rows[active] = rows[active], rows[k]
                continue
            worst = max(worst, violation(a[i], g))
            new = best_multiplier(a[i], g, unit / (sweeps.weights[i] * sweeps.squares[i]))
            if new != a[i]:
                add_csr(w, data, indices, start, stop, bias, -sweeps.weights[i] * (new - a[i]) / unit)
                a[i] = new
            k += 1
        margin = worst if worst > 0.0 else np.inf
        if worst <= sweeps.goal:
            if active == m:
                sweeps.progress[2] = 1.0
                return sweep + 1
            active = m
            margin = np.inf
    sweeps.progress[0], sweeps.progress[1] = active, margin
    return sweeps.most
