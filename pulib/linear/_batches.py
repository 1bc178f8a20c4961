"""Extended OPU (section 4.2): one conservative step per batch, for dense and CSR rows.

A batch I_t of b rows minimizes φ(w) = risk(w) + λ/2 |w|² + γ_t/2 |w − w_{t−1}|², γ_t = γ + λt (equation 10), by a few
gradient steps from w_{t−1}.  Their length is 1/(λ + γ_t + L), where L is the curvature of the batch's risk.  With the double
hinge, which has kinks, the k-th step is at most 2/((λ + γ_t)(k + 1)) long, so that the steps converge.  A single step has the
length 1/(λt), as in algorithm 1, because the conservative term has zero slope at w_{t−1}.

Dense rows: bounded by memory bandwidth; each inner step reads the batch twice (scores, then update) while it is in cache.
CSR rows: a batch with one inner step costs O(non-zeros) (see ``_stream``); each of several inner steps also costs O(d).
"""

from __future__ import annotations

from numbers import Integral
from typing import NamedTuple

import numpy as np

from pulib._compiled import helper, inlined, kernel
from pulib.linear._losses import DOUBLE_HINGE
from pulib.linear._stream import (
    _REFRESH_EVERY,
    add_csr,
    dot_csr,
    dot_dense,
    fold_scale,
    is_scored,
    project_scaled,
    row_slope,
    row_weights,
    shrink_dense,
    shrink_scaled,
    step_dense,
)


class Batching(NamedTuple):
    """Parameters of the batch steps."""

    size: int  # the last batch may be smaller
    inner_steps: int
    gamma: float  # γ, the constant part of γ_t
    curvature: float  # from CURVATURES


def number_of_batches(batch_size: float, n_samples: int) -> int:
    """Number of batches in ``n_samples`` rows, for a ``batch_size`` in rows or as a share of the rows.

    Examples
    --------
    >>> number_of_batches(50, 348), number_of_batches(0.05, 348)
    (7, 20)
    """
    if isinstance(batch_size, Integral):
        return -(-n_samples // int(batch_size))
    return min(n_samples, max(1, round(1.0 / batch_size)))


@helper
def count_batch(positive, order, first, last, counts):
    """Count the step, and the batch's labeled and unlabeled rows."""
    counts[0] += 1
    for k in range(first, last):
        if positive[order[k]]:
            counts[1] += 1
        else:
            counts[2] += 1


@inlined
def inner_length(k, objective, conservative, bound):
    """Length of the k-th (from 1) of several inner steps; ``conservative`` is γ_t, ``bound`` is L."""
    stiffness = objective.alpha + conservative
    length = 1.0 / (stiffness + bound)
    if objective.loss == DOUBLE_HINGE:
        length = min(length, 2.0 / (stiffness * (k + 1.0)))
    return length


@inlined
def curvature_share(positive, weight_labeled, weight_unlabeled, objective):
    """Weight of h in a row's loss, relative to ``weight_unlabeled``."""
    share = objective.on_unlabeled if objective.joined or not positive else 0.0
    if positive and objective.on_labeled > 0.0:
        share += objective.on_labeled * weight_labeled / weight_unlabeled
    return share


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
    """w <- w + factor·u; return the new squared norm."""
    total = 0.0
    for j in range(w.shape[0]):
        w[j] += factor * u[j]
        total += w[j] * w[j]
    return total


@kernel
def batches_dense(X, positive, order, w, counts, objective, batching):
    """As :func:`pulib.linear._stream.stream_dense`, but in batches."""
    n, alpha, bias, several = order.shape[0], objective.alpha, objective.bias, batching.inner_steps > 1
    square_radius = objective.radius * objective.radius
    slopes = np.empty(batching.size)
    start_w = np.empty_like(w)
    for first in range(0, n, batching.size):
        last = min(first + batching.size, n)
        size = last - first
        count_batch(positive, order, first, last, counts)
        t = counts[0]
        weight_labeled, weight_unlabeled = row_weights(counts, objective)
        conservative = batching.gamma + alpha * t
        bound = 0.0
        if several:
            copy_dense(w, start_w)
            for k in range(first, last):
                if is_scored(positive[order[k]], objective):
                    share = curvature_share(positive[order[k]], weight_labeled, weight_unlabeled, objective)
                    bound += share * square_dense(X, order[k], bias)
            bound *= batching.curvature * weight_unlabeled / size
        for inner in range(1, batching.inner_steps + 1):
            for k in range(size):
                i = order[first + k]
                g = dot_dense(w, X, i, bias) if is_scored(positive[i], objective) else 0.0
                slopes[k] = row_slope(positive[i], g, weight_labeled, weight_unlabeled, objective)
            if several:
                length = inner_length(inner, objective, conservative, bound)
                shrink_dense(w, 1.0 - length * (alpha + conservative))
                square_norm = add_dense(w, start_w, length * conservative)
            else:
                length = 1.0 / (alpha * t)
                square_norm = shrink_dense(w, (t - 1.0) / t)
            for k in range(size):
                if slopes[k] != 0.0:
                    square_norm = step_dense(w, X, order[first + k], bias, 1.0, -length * slopes[k] / size)
            if square_norm > square_radius:
                shrink_dense(w, objective.radius / np.sqrt(square_norm))


@kernel
def batches_csr(rows, positive, order, weights, counts, objective, batching):
    """As :func:`batches_dense`, for CSR ``rows`` and scaled weights."""
    data, indices, indptr = rows.data, rows.indices, rows.indptr
    v, scale, alpha, bias = weights.v, weights.scale, objective.alpha, objective.bias
    n, several = order.shape[0], batching.inner_steps > 1
    slopes = np.empty(batching.size)
    start_w = np.empty_like(v) if several else np.empty(0)
    for first in range(0, n, batching.size):
        last = min(first + batching.size, n)
        size = last - first
        count_batch(positive, order, first, last, counts)
        t = counts[0]
        weight_labeled, weight_unlabeled = row_weights(counts, objective)
        conservative = batching.gamma + alpha * t
        bound = 0.0
        if several:
            fold_scale(v, scale)
            copy_dense(v, start_w)
            for k in range(first, last):
                i = order[k]
                if is_scored(positive[i], objective):
                    share = curvature_share(positive[i], weight_labeled, weight_unlabeled, objective)
                    bound += share * dot_csr(v, data, indices, indptr[i], indptr[i + 1], bias)[1]
            bound *= batching.curvature * weight_unlabeled / size
        for inner in range(1, batching.inner_steps + 1):
            for k in range(size):
                i = order[first + k]
                g = 0.0
                if is_scored(positive[i], objective):
                    g = scale[0] * dot_csr(v, data, indices, indptr[i], indptr[i + 1], bias)[0]
                slopes[k] = row_slope(positive[i], g, weight_labeled, weight_unlabeled, objective)
            if several:
                length = inner_length(inner, objective, conservative, bound)
                fold_scale(v, scale)
                shrink_dense(v, 1.0 - length * (alpha + conservative))
                scale[1] = add_dense(v, start_w, length * conservative)
            else:
                length = 1.0 / (alpha * t)
                shrink_scaled(v, scale, (t - 1.0) / t)
            for k in range(size):
                if slopes[k] != 0.0:
                    i = order[first + k]
                    step = -length * slopes[k] / (size * scale[0])
                    dot, square = dot_csr(v, data, indices, indptr[i], indptr[i + 1], bias)
                    add_csr(v, data, indices, indptr[i], indptr[i + 1], bias, step)
                    scale[1] += 2.0 * step * dot + step * step * square
            if t % _REFRESH_EVERY == 0:
                fold_scale(v, scale)
            project_scaled(v, scale, objective.radius)
