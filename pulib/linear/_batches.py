"""Extended OPU (section 4.2): one conservative step per batch of rows, for dense rows and for rows in CSR form.

A batch I_t of b rows minimizes φ(w) = risk(w) + λ/2 |w|² + γ_t/2 |w − w_{t−1}|², γ_t = γ + λt (equation 10), by a few
gradient steps from w_{t−1}: the first of length 1/(λt), where the conservative term has no slope; later ones of a length that
φ's curvature allows, 1/(λ + γ_t + L) with L the curvature of the batch's risk, or 2/((λ + γ_t)(k + 1)) for the k-th where the
loss has kinks.

Dense rows: bounded by memory bandwidth, each batch being read twice per inner step (scores, then update) while it is in cache.
CSR rows: with one inner step a batch costs its non-zeros (see ``_stream``); with more, O(d) is added per inner step.
"""

from __future__ import annotations

import numpy as np

from pulib._compiled import helper, inlined, kernel
from pulib.linear._losses import unlabeled_slope
from pulib.linear._stream import (
    _REFRESH_EVERY,
    add_csr,
    dot_csr,
    dot_dense,
    fold_scale,
    project_scaled,
    row_weights,
    shrink_dense,
    shrink_scaled,
    step_dense,
)


@helper
def count_batch(positive, order, first, last, counts):
    """One more step, and the batch's rows of either kind."""
    counts[0] += 1
    for k in range(first, last):
        if positive[order[k]]:
            counts[1] += 1
        else:
            counts[2] += 1


@inlined
def inner_length(k, t, alpha, conservative, curvature):
    """Length of the k-th (from 1) inner step in batch t; ``conservative`` is γ_t."""
    if k == 1:
        return 1.0 / (alpha * t)
    if curvature > 0.0:
        return 1.0 / (alpha + conservative + curvature)
    return 2.0 / ((alpha + conservative) * (k + 1.0))


@helper
def square_dense(X, i, bias):
    """|(x_i, bias)|²."""
    total = bias * bias
    for j in range(X.shape[1]):
        total += np.float64(X[i, j]) * np.float64(X[i, j])
    return total


@helper
def copy_dense(w, out):
    """out <- w."""
    for j in range(w.shape[0]):
        out[j] = w[j]


@helper
def add_dense(w, u, factor):
    """w <- w + factor·u; returns the new squared norm."""
    total = 0.0
    for j in range(w.shape[0]):
        w[j] += factor * u[j]
        total += w[j] * w[j]
    return total


@kernel
def batches_dense(
    X, positive, order, w, counts, loss, prior, alpha, radius, unbiased, bias, batch_size, inner_steps, gamma, curvature
):
    """Learn from the rows ``order`` of ``X`` in batches; ``w`` and ``counts`` are updated in place.

    Parameters are those of ``stream_dense``, and besides:

    Parameters
    ----------
    batch_size : int
        The last batch may be smaller.
    inner_steps : int
    gamma : float
        γ, the part of γ_t that does not grow.
    curvature : float
        Upper bound of h'', 0 where it has kinks.
    """
    n = order.shape[0]
    square_radius = radius * radius
    slopes = np.empty(batch_size)
    start_w = np.empty_like(w)
    for first in range(0, n, batch_size):
        last = min(first + batch_size, n)
        size = last - first
        count_batch(positive, order, first, last, counts)
        t = counts[0]
        weight_labeled, weight_unlabeled = row_weights(counts, unbiased)
        conservative = gamma + alpha * t
        bound = 0.0
        if inner_steps > 1:
            copy_dense(w, start_w)
            for k in range(first, last):
                if not positive[order[k]]:
                    bound += square_dense(X, order[k], bias)
            bound *= curvature * weight_unlabeled / size
        for inner in range(1, inner_steps + 1):
            length = inner_length(inner, t, alpha, conservative, bound)
            for k in range(size):
                i = order[first + k]
                if positive[i]:
                    slopes[k] = -prior * weight_labeled
                else:
                    slopes[k] = unlabeled_slope(dot_dense(w, X, i, bias), loss) * weight_unlabeled
            shrink = 1.0 - length * alpha
            if inner == 1:
                shrink = (t - 1.0) / t
            else:
                shrink -= length * conservative
            square_norm = shrink_dense(w, shrink)
            if inner > 1:
                square_norm = add_dense(w, start_w, length * conservative)
            for k in range(size):
                if slopes[k] != 0.0:
                    square_norm = step_dense(w, X, order[first + k], bias, 1.0, -length * slopes[k] / size)
            if square_norm > square_radius:
                shrink_dense(w, radius / np.sqrt(square_norm))


@kernel
def batches_csr(
    data,
    indices,
    indptr,
    positive,
    order,
    v,
    scale,
    counts,
    loss,
    prior,
    alpha,
    radius,
    unbiased,
    bias,
    batch_size,
    inner_steps,
    gamma,
    curvature,
):
    """As :func:`batches_dense` for the rows of a CSR matrix, with the weights as ``scale[0]`` times ``v``."""
    n = order.shape[0]
    slopes = np.empty(batch_size)
    start_w = np.empty_like(v) if inner_steps > 1 else np.empty(0)
    for first in range(0, n, batch_size):
        last = min(first + batch_size, n)
        size = last - first
        count_batch(positive, order, first, last, counts)
        t = counts[0]
        weight_labeled, weight_unlabeled = row_weights(counts, unbiased)
        conservative = gamma + alpha * t
        bound = 0.0
        if inner_steps > 1:
            fold_scale(v, scale)
            copy_dense(v, start_w)
            for k in range(first, last):
                i = order[k]
                if not positive[i]:
                    bound += dot_csr(v, data, indices, indptr[i], indptr[i + 1], bias)[1]
            bound *= curvature * weight_unlabeled / size
        for inner in range(1, inner_steps + 1):
            length = inner_length(inner, t, alpha, conservative, bound)
            for k in range(size):
                i = order[first + k]
                if positive[i]:
                    slopes[k] = -prior * weight_labeled
                else:
                    dot = dot_csr(v, data, indices, indptr[i], indptr[i + 1], bias)[0]
                    slopes[k] = unlabeled_slope(scale[0] * dot, loss) * weight_unlabeled
            if inner == 1:
                shrink_scaled(v, scale, (t - 1.0) / t)
            else:
                fold_scale(v, scale)
                shrink_dense(v, 1.0 - length * (alpha + conservative))
                scale[1] = add_dense(v, start_w, length * conservative)
            for k in range(size):
                if slopes[k] != 0.0:
                    i = order[first + k]
                    step = -length * slopes[k] / (size * scale[0])
                    dot, square = dot_csr(v, data, indices, indptr[i], indptr[i + 1], bias)
                    add_csr(v, data, indices, indptr[i], indptr[i + 1], bias, step)
                    scale[1] += 2.0 * step * dot + step * step * square
            if t % _REFRESH_EVERY == 0:
                fold_scale(v, scale)
            project_scaled(v, scale, radius)
