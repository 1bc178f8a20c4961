"""Basic OPU (algorithm 1): one gradient step per row of a stream, for dense and CSR rows.

``w`` holds d weights and, last, that of the constant feature ``bias`` (1 or 0).  ``counts`` holds the numbers of steps, labeled
rows and unlabeled rows so far.  They are the whole state: a stream interrupted anywhere and resumed gives the same weights, bit
for bit.

Dense rows: bounded by memory bandwidth for X (8 d bytes a row, random rows in ``fit``); w stays in the first-level cache.
CSR rows: w is kept as s·v, with |v|², so that shrinking by 1 − 1/t and projecting cost O(1), and a row costs O(non-zeros);
bounded by the latency of scattered access to v.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pulib._compiled import helper, inlined, kernel
from pulib.linear._losses import unlabeled_slope

#: Sums may be reordered into vector lanes; NaN and infinity keep their meaning.
_LANES = {"reassoc", "contract", "nsz"}

# Rounding makes the tracked norm drift, and s shrinks with every projection.  Both are refreshed at fixed step numbers, which
# do not depend on how the stream is divided into calls.
_REFRESH_EVERY = 4096
_SMALLEST_SCALE = 1e-100


class Objective(NamedTuple):
    """Objective of a stream, and constraint on the weights."""

    loss: int  # from LOSS_CODES
    prior: float  # π, or π' at a training prior
    alpha: float  # λ
    radius: float  # of the ball that w is projected onto; infinity for none
    unbiased: bool  # divide losses by the shares of labeled and unlabeled rows in the stream
    joined: bool  # one-sample: labeled rows also count as unlabeled ones
    bias: float  # the constant feature
    on_labeled: float = 0.0  # weights of h(g) for labeled and unlabeled rows at a training prior (hinge_weights)
    on_unlabeled: float = 1.0


class CsrRows(NamedTuple):
    """The rows of a CSR matrix."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray


class ScaledWeights(NamedTuple):
    """Weights ``scale[0]`` times ``v``, with ``scale[1]`` = |v|², so that shrinking takes constant time."""

    v: np.ndarray
    scale: np.ndarray


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
    """w <- shrink·w + step·(x_i, bias); return the new squared norm."""
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
    """w <- shrink·w; return the new squared norm."""
    total = 0.0
    for j in range(w.shape[0]):
        value = shrink * w[j]
        w[j] = value
        total += value * value
    return total


@inlined
def row_weights(counts, objective):
    """Weights of the losses of labeled and unlabeled rows, given the rows so far.

    Equation 6 uses 1 for both.  The unbiased weighting divides by the share of each kind in the stream so far (plus one
    imaginary row of each), so that the mean over the stream is the risk of equation 5.  In one sample, all rows count as
    unlabeled ones, whose share is then 1.
    """
    if not objective.unbiased:
        return 1.0, 1.0
    total = counts[1] + counts[2] + 2.0
    return total / (counts[1] + 1.0), 1.0 if objective.joined else total / (counts[2] + 1.0)


@inlined
def row_slope(positive, g, weight_labeled, weight_unlabeled, objective):
    """Derivative of a row's loss with respect to its score ``g``."""
    slope = 0.0
    if positive:
        slope -= objective.prior * weight_labeled
        if objective.on_labeled > 0.0:
            slope += objective.on_labeled * unlabeled_slope(g, objective.loss) * weight_labeled
    if objective.joined or not positive:
        slope += objective.on_unlabeled * unlabeled_slope(g, objective.loss) * weight_unlabeled
    return slope


@inlined
def is_scored(positive, objective):
    """Whether a row's loss depends on its score."""
    return not positive or objective.joined or objective.on_labeled > 0.0


@kernel
def stream_dense(X, positive, order, w, counts, objective):
    """Learn from the rows ``order`` of ``X``, one step each; update ``w`` and ``counts`` in place.

    Parameters
    ----------
    X : float array of shape (n, d), C order
    positive : bool array of shape (n,)
    order : int64 array
    w : float64 array of shape (d + 1,)
    counts : int64 array of shape (3,)
    objective : Objective
    """
    bias, radius = objective.bias, objective.radius
    square_radius = radius * radius
    for k in range(order.shape[0]):
        i = order[k]
        counts[0] += 1
        t = counts[0]
        counts[1 if positive[i] else 2] += 1
        weight_labeled, weight_unlabeled = row_weights(counts, objective)
        g = dot_dense(w, X, i, bias) if is_scored(positive[i], objective) else 0.0
        slope = row_slope(positive[i], g, weight_labeled, weight_unlabeled, objective)
        shrink = (t - 1.0) / t
        step = -slope / (objective.alpha * t)
        square_norm = shrink_dense(w, shrink) if slope == 0.0 else step_dense(w, X, i, bias, shrink, step)
        if square_norm > square_radius:
            shrink_dense(w, radius / np.sqrt(square_norm))


@inlined
def dot_csr(v, data, indices, start, stop, bias):
    """Return v · (x, bias) and |(x, bias)|² of one row."""
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
    """v <- s·v and s <- 1, and recompute |v|²; ``scale`` is (s, |v|²)."""
    factor = scale[0]
    total = 0.0
    for j in range(v.shape[0]):
        v[j] *= factor
        total += v[j] * v[j]
    scale[0] = 1.0
    scale[1] = total


@inlined
def project_scaled(v, scale, radius):
    """Project s·v onto the ball, by its tracked norm; fold s into v if it is too small."""
    norm = scale[0] * np.sqrt(max(scale[1], 0.0))
    if norm > radius:
        scale[0] *= radius / norm
    if scale[0] < _SMALLEST_SCALE:
        fold_scale(v, scale)


@inlined
def shrink_scaled(v, scale, shrink):
    """s <- shrink·s; a factor of 0 resets the weights."""
    if shrink == 0.0:
        v[:] = 0.0
        scale[0] = 1.0
        scale[1] = 0.0
    else:
        scale[0] *= shrink


@kernel
def stream_csr(rows, positive, order, weights, counts, objective):
    """As :func:`stream_dense`, for CSR ``rows``; both fields of ``weights`` belong to the state."""
    data, indices, indptr = rows.data, rows.indices, rows.indptr
    v, scale, bias = weights.v, weights.scale, objective.bias
    for k in range(order.shape[0]):
        i = order[k]
        start, stop = indptr[i], indptr[i + 1]
        counts[0] += 1
        t = counts[0]
        counts[1 if positive[i] else 2] += 1
        weight_labeled, weight_unlabeled = row_weights(counts, objective)
        shrink_by = (t - 1.0) / t
        dot, square = dot_csr(v, data, indices, start, stop, bias)
        slope = row_slope(positive[i], scale[0] * dot, weight_labeled, weight_unlabeled, objective)
        if shrink_by == 0.0:
            dot = 0.0
        shrink_scaled(v, scale, shrink_by)
        if slope != 0.0:
            step = -slope / (objective.alpha * t * scale[0])
            add_csr(v, data, indices, start, stop, bias, step)
            scale[1] += 2.0 * step * dot + step * step * square
        if t % _REFRESH_EVERY == 0:
            fold_scale(v, scale)
        project_scaled(v, scale, objective.radius)
