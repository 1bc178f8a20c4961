"""Sequential minimal optimization for SVMs with bounds per row, over a kernel matrix in memory.

With ``β_t = y_t α_t`` the dual of eq. 2.1 (Claesen et al., 2015) reads

    maximize  W(β) = Σ_t β_t y_t − ½ Σ_st β_s β_t K_st   subject to  Σ_t β_t = 0,  lower_t ≤ β_t ≤ upper_t,

where positive rows have the bounds [0, C_P] and unlabeled ones [−C_U, 0].  A row drawn m times into a resample is one
variable with m times the bounds: the optimum is the same, without flat directions between copies.  A row whose bounds are both
0 takes no part, but its gradient ``F_t = y_t − Σ_s β_s K_st`` is kept up to date, which gives held-out rows their decision
values at no extra cost.

Working sets are chosen by second-order information (Fan, Chen and Lin, JMLR 2005), as in LIBSVM.  The stopping rule and the
bias are also those of LIBSVM.  There is no shrinking.  Bounded by arithmetic for small problems, whose matrix fits in the
second-level cache, and by memory for large ones: an iteration reads two rows of K and streams a handful of vectors.

Layout: the columns of K and all vectors are padded to a multiple of ``LANES``, with zeros in K and bounds of 0.  Inner loops
over ``LANES`` columns have no branch, so that they compile to vector instructions.  Of the fast-math flags, only "no NaN" and
"−0 is 0" are set: maxima then vectorize, and sums keep their order.
"""

from typing import NamedTuple

import numpy as np

from pulib._compiled import helper, inlined
from pulib.svm._vector import greater

LANES = 32
#: Added to a gradient to keep a row out of the working set; finite, so that it cannot produce NaN.
OUT = 1e300
TAU = 1e-12
_FLAGS = {"nnan", "nsz"}


def padded(n: int) -> int:
    """The least multiple of ``LANES`` that is at least ``n``."""
    return -(-n // LANES) * LANES


class Box(NamedTuple):
    """Bounds of each coefficient, and the solver's workspace."""

    lower: np.ndarray  # (m,)
    upper: np.ndarray
    up: np.ndarray  # 0 for rows whose coefficient may grow, else -OUT
    low: np.ndarray  # 0 for rows whose coefficient may shrink, else OUT


@inlined
def _set_penalties(t, beta, box):
    box.up[t] = 0.0 if beta[t] < box.upper[t] else -OUT
    box.low[t] = 0.0 if beta[t] > box.lower[t] else OUT


@helper(fastmath=_FLAGS, boundscheck=False)
def _first_row(F, up):
    """Return the row with the greatest gradient among those whose coefficient may grow, and that gradient."""
    best, chunk = -OUT, 0
    for c in range(0, len(F), LANES):
        f, p = F[c : c + LANES], up[c : c + LANES]
        m = -OUT
        for k in range(LANES):
            m = greater(f[k] + p[k], m)
        if m > best:
            best, chunk = m, c
    for t in range(chunk, chunk + LANES):
        if F[t] + up[t] == best:
            return t, best
    return -1, best


@helper(fastmath=_FLAGS, boundscheck=False)
def _second_row(K, diagonal, F, low, i, g):
    """Return the row with the greatest gain, given row i, among those whose coefficient may shrink, and their ``g − min F``."""
    row = K[i]
    one = row.dtype.type(1.0)
    two = one + one
    tau = row.dtype.type(TAU)
    zero = row.dtype.type(0.0)
    kii = diagonal[i]
    violation = 0.0
    best, chunk = zero, -1
    for c in range(0, len(F), LANES):
        f, p, k_i, kk = F[c : c + LANES], low[c : c + LANES], row[c : c + LANES], diagonal[c : c + LANES]
        m = zero
        far = 0.0
        for k in range(LANES):
            d = greater(g - (f[k] + p[k]), 0.0)
            far = greater(d, far)
            e = row.dtype.type(d)
            m = greater(e * e / greater(kii + kk[k] - two * k_i[k], tau), m)
        if m > best:
            best, chunk = m, c
        violation = greater(far, violation)
    if chunk < 0:
        return -1, violation
    j, top = -1, zero
    for t in range(chunk, chunk + LANES):
        d = g - (F[t] + low[t])
        if d > 0.0:
            a = kii + diagonal[t] - two * row[t]
            e = row.dtype.type(d)
            gain = e * e / greater(a, tau)
            if j < 0 or gain > top:
                j, top = t, gain
    return j, violation


@helper(fastmath=_FLAGS, boundscheck=False)
def solve(K, diagonal, F, beta, box, tol, max_iter):
    """Improve ``beta`` in place until no pair of rows violates optimality by ``tol``; return the number of iterations.

    The number is ``max_iter`` if it did not converge.  ``K``, of shape (n, m), and the vectors, of shape (m,), are padded as in
    the module docstring; only rows whose bounds differ are read.  ``diagonal`` has the type of K.  ``F`` is the gradient ``y −
    K β`` on entry and on return.  ``beta`` must be feasible on entry: within its bounds, with sum 0.
    """
    lower, upper, up, low = box.lower, box.upper, box.up, box.low
    for t in range(len(F)):
        _set_penalties(t, beta, box)
    i, g = _first_row(F, up)
    for iteration in range(max_iter):
        if i < 0 or g <= -OUT:
            return iteration
        j, violation = _second_row(K, diagonal, F, low, i, g)
        if j < 0 or violation < tol:
            return iteration
        a = float(diagonal[i]) + float(diagonal[j]) - 2.0 * float(K[i, j])
        a = a if a > TAU else TAU
        step = (g - F[j]) / a
        room_i, room_j = upper[i] - beta[i], beta[j] - lower[j]
        step = min(step, room_i, room_j)
        beta[i] = upper[i] if step == room_i else beta[i] + step
        beta[j] = lower[j] if step == room_j else beta[j] - step
        _set_penalties(i, beta, box)
        _set_penalties(j, beta, box)
        i, g = _move(K[i], K[j], step, F, up)
    return max_iter


@helper(fastmath=_FLAGS, boundscheck=False)
def _move(row_i, row_j, step, F, up):
    """Update the gradient for a step along (i, −j), and choose the next first row in the same sweep."""
    best, chunk = -OUT, 0
    for c in range(0, len(F), LANES):
        f, p, k_i, k_j = F[c : c + LANES], up[c : c + LANES], row_i[c : c + LANES], row_j[c : c + LANES]
        m = -OUT
        for k in range(LANES):
            f[k] -= step * (float(k_i[k]) - float(k_j[k]))
            m = greater(f[k] + p[k], m)
        if m > best:
            best, chunk = m, c
    for t in range(chunk, chunk + LANES):
        if F[t] + up[t] == best:
            return t, best
    return -1, best


@helper(fastmath=_FLAGS)
def intercept(F, beta, box):
    """Bias b of the decision function ``Σ_s β_s K_st + b``.

    It is the mean gradient of the rows strictly between their bounds or, without such rows, the middle of the interval that
    optimality allows.
    """
    lower, upper = box.lower, box.upper
    total, free = 0.0, 0
    top, bottom = -OUT, OUT
    for t in range(len(F)):
        if lower[t] == upper[t]:
            continue
        can_grow, can_shrink = beta[t] < upper[t], beta[t] > lower[t]
        if can_grow and can_shrink:
            total += F[t]
            free += 1
        elif can_grow:
            top = max(top, F[t])
        else:
            bottom = min(bottom, F[t])
    if free > 0:
        return total / free
    if top > -OUT and bottom < OUT:
        return 0.5 * (top + bottom)
    return top if top > -OUT else (bottom if bottom < OUT else 0.0)


@helper
def moments(F, beta, y):
    """Return ``Σ β y`` and ``Σ β (K β)``, the parts of the dual objective: W(s β) = s·linear − ½ s²·quadratic."""
    linear, quadratic = 0.0, 0.0
    for t in range(len(F)):
        if beta[t] != 0.0:
            linear += beta[t] * y[t]
            quadratic += beta[t] * (y[t] - F[t])
    return linear, quadratic
