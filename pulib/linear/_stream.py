"""Basic OPU (algorithm 1): one gradient step per row of a stream, for dense rows and for rows in CSR form.

``w`` holds d weights and, last, that of a constant feature ``bias`` (1 or 0).  ``counts`` is the stream's memory: steps so
far, labeled rows so far, unlabeled rows so far.  Together they are the whole state: a stream cut anywhere and resumed takes
the same path to the last bit.

Dense rows: bounded by memory bandwidth for X (8 d bytes a row, random rows in ``fit``); w stays in the first-level cache.
CSR rows: w is kept as s·v with its squared norm, so that the shrinking by 1 − 1/t and the projection cost O(1) and a row costs
its non-zeros; bounded by the latency of scattered access to v.
"""

from __future__ import annotations

import numpy as np

from pulib._compiled import helper, inlined, kernel
from pulib.linear._losses import unlabeled_slope

#: Sums may be reordered into vector lanes; NaN and infinity keep their meaning.
_LANES = {"reassoc", "contract", "nsz"}

# The tracked norm drifts by rounding and s shrinks with every projection: both are refreshed every so many steps, at step
# numbers that do not depend on how the stream was cut into calls.
_REFRESH_EVERY = 4096
_SMALLEST_SCALE = 1e-100


@helper(fastmath=_LANES)
def dot_dense(w, X, i, bias):
    """w · (x_i, bias)."""
    d = X.shape[1]
    total = 0.0
    for j in range(d):
        total += w[j] * X[i, j]
    return total + w[d] * bias


@helper(fastmath=_LANES)
def step_dense(w, X, i, bias, shrink, step):
    """w <- shrink·w + step·(x_i, bias); returns the new squared norm."""
    d = X.shape[1]
    total = 0.0
    for j in range(d):
        value = shrink * w[j] + step * X[i, j]
        w[j] = value
        total += value * value
    w[d] = shrink * w[d] + step * bias
    return total + w[d] * w[d]


@helper(fastmath=_LANES)
def shrink_dense(w, shrink):
    """w <- shrink·w; returns the new squared norm."""
    total = 0.0
    for j in range(w.shape[0]):
        value = shrink * w[j]
        w[j] = value
        total += value * value
    return total


@inlined
def row_weights(counts, unbiased):
    """The weights of a labeled and of an unlabeled row's loss, given the rows seen so far.

    Equation 6 takes 1 for both.  The unbiased weighting divides by the share of each kind in the stream so far (one row of
    each imagined before the first), so that the mean over the stream is the risk of equation 5.
    """
    if not unbiased:
        return 1.0, 1.0
    total = counts[1] + counts[2] + 2.0
    return total / (counts[1] + 1.0), total / (counts[2] + 1.0)


@kernel
def stream_dense(X, positive, order, w, counts, loss, prior, alpha, radius, unbiased, bias):
    """Learn from the rows ``order`` of ``X``, one step each; ``w`` and ``counts`` are updated in place.

    Parameters
    ----------
    X : float array of shape (n, d), C order
    positive : bool array of shape (n,)
    order : int64 array
    w : float64 array of shape (d + 1,)
    counts : int64 array of shape (3,)
    loss : int, of LOSS_CODES
    prior, alpha : float
        π and λ.
    radius : float
        Of the ball that w is projected on; infinity for none.
    unbiased : bool
        Weigh labeled and unlabeled rows by their shares in the stream.
    bias : float
    """
    square_radius = radius * radius
    for k in range(order.shape[0]):
        i = order[k]
        counts[0] += 1
        t = counts[0]
        if positive[i]:
            counts[1] += 1
            slope = -prior * row_weights(counts, unbiased)[0]
        else:
            counts[2] += 1
            slope = unlabeled_slope(dot_dense(w, X, i, bias), loss) * row_weights(counts, unbiased)[1]
        shrink = (t - 1.0) / t
        square_norm = shrink_dense(w, shrink) if slope == 0.0 else step_dense(w, X, i, bias, shrink, -slope / (alpha * t))
        if square_norm > square_radius:
            shrink_dense(w, radius / np.sqrt(square_norm))


@inlined
def dot_csr(v, data, indices, start, stop, bias):
    """v · (x, bias) and |(x, bias)|² of one row."""
    d = v.shape[0] - 1
    total = v[d] * bias
    square = bias * bias
    for k in range(start, stop):
        value = np.float64(data[k])
        total += v[indices[k]] * value
        square += value * value
    return total, square


@inlined
def add_csr(v, data, indices, start, stop, bias, step):
    """v <- v + step·(x, bias)."""
    v[v.shape[0] - 1] += step * bias
    for k in range(start, stop):
        v[indices[k]] += step * data[k]


@kernel
def fold_scale(v, scale):
    """Make v the weights themselves: v <- s·v, s <- 1, and the squared norm anew.  ``scale`` is (s, |v|²)."""
    factor = scale[0]
    total = 0.0
    for j in range(v.shape[0]):
        v[j] *= factor
        total += v[j] * v[j]
    scale[0] = 1.0
    scale[1] = total


@inlined
def project_scaled(v, scale, radius):
    """Project s·v on the ball, by its tracked norm; fold where s gets out of hand."""
    norm = scale[0] * np.sqrt(max(scale[1], 0.0))
    if norm > radius:
        scale[0] *= radius / norm
    if scale[0] < _SMALLEST_SCALE:
        fold_scale(v, scale)


@inlined
def shrink_scaled(v, scale, shrink):
    """s <- shrink·s, or zero weights where nothing is left of them."""
    if shrink == 0.0:
        v[:] = 0.0
        scale[0] = 1.0
        scale[1] = 0.0
    else:
        scale[0] *= shrink


@kernel
def stream_csr(data, indices, indptr, positive, order, v, scale, counts, loss, prior, alpha, radius, unbiased, bias):
    """As :func:`stream_dense` for the rows of a CSR matrix, with the weights as ``scale[0]`` times ``v``.

    ``scale`` is a float64 array (s, |v|²); after the call it stays part of the state.
    """
    for k in range(order.shape[0]):
        i = order[k]
        start, stop = indptr[i], indptr[i + 1]
        counts[0] += 1
        t = counts[0]
        if positive[i]:
            counts[1] += 1
        else:
            counts[2] += 1
        weight_labeled, weight_unlabeled = row_weights(counts, unbiased)
        shrink_by = (t - 1.0) / t
        dot, square = dot_csr(v, data, indices, start, stop, bias)
        slope = -prior * weight_labeled if positive[i] else unlabeled_slope(scale[0] * dot, loss) * weight_unlabeled
        if shrink_by == 0.0:
            dot = 0.0
        shrink_scaled(v, scale, shrink_by)
        if slope != 0.0:
            step = -slope / (alpha * t * scale[0])
            add_csr(v, data, indices, start, stop, bias, step)
            scale[1] += 2.0 * step * dot + step * step * square
        if t % _REFRESH_EVERY == 0:
            fold_scale(v, scale)
        project_scaled(v, scale, radius)
