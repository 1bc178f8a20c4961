"""Kernels for signed sums over ordered pairs, exact and by interpolation.

Both losses of the paper (eq. 4 and 5) and their derivatives are sums over the pairs that a ranking ``r`` decides (``r`` is the
label for the AUC, and the score for preferences)::

    before(i) = sum over j with r_j < r_i of  w_j g(f_i - f_j)
    after(i)  = sum over j with r_j > r_i of  w_j g(f_i - f_j)

where ``g`` is the sigmoid or its first or second derivative.  ``exact_sums`` adds up all pairs, in O(n**2) time.  ``fast_sums``
adds the rows in the order of ``r`` to polynomials in ``f`` that interpolate the running sum (Chebyshev nodes, on cells that
tile the range of ``f``), and reads each row's sum from them just before adding the row.  Beyond ``CUTOFF`` of a cell, the
derivatives vanish and the sigmoid is 0 or 1.  This takes O(n) after a sort, with an absolute error below about ``TOLERANCE``
times the sum of ``|w|``.

Nothing is compiled with ``fastmath``: trees are grown on these sums, and another order of additions would give other trees.

Both are bounded by arithmetic: ``exact_sums`` takes one exponential per pair, ``fast_sums`` one division per node of every cell
within ``CUTOFF``, with the cells' polynomials in cache.
"""

from typing import NamedTuple

import numpy as np

from pulib._compiled import helper, inlined, kernel

#: Bound on the interpolation error per unit of weight.
TOLERANCE = 1e-12
#: Distance of scores beyond which the derivatives of the sigmoid (below exp(-34) = 2e-15) count as zero.
CUTOFF = 34.0
#: Width of a cell if the scores need more than one.
CELL_WIDTH = 4.0


class Cells(NamedTuple):
    """Cells that tile the range of scores, and the interpolation nodes in each; read-only.

    ``low[c]`` and ``high[c]`` are the first and the last cell within ``CUTOFF`` of cell c.
    """

    of_row: np.ndarray  # (n,): the cell of each row
    centers: np.ndarray  # (cells,)
    low: np.ndarray
    high: np.ndarray
    half_width: float
    nodes: np.ndarray  # (k,): on [-1, 1]
    node_weights: np.ndarray  # barycentric


class RunningSums(NamedTuple):
    """Sums over the rows added so far; zeros at the start."""

    values: np.ndarray  # (cells, q, k): at the nodes
    tail: np.ndarray  # (cells + 2, q): a Fenwick tree of the weights beyond CUTOFF


@inlined
def _sigmoid_kernel(x, derivative):
    """The sigmoid of ``x``, or its first or second derivative, without overflow."""
    e = np.exp(-abs(x))
    s = 1.0 / (1.0 + e)
    if derivative == 0:
        return s if x >= 0.0 else e * s
    if derivative == 1:
        return e * s * s
    value = e * (1.0 - e) * s * s * s
    return -value if x >= 0.0 else value


@kernel
def exact_sums(f, rank, weights, derivative, start, stop, before, after):
    """Fill rows ``start:stop`` of ``before`` and ``after``, shape (n, q), for weights of shape (n, q)."""
    n, q = weights.shape
    for i in range(start, stop):
        for c in range(q):
            before[i, c] = 0.0
            after[i, c] = 0.0
        for j in range(n):
            if rank[j] < rank[i]:
                g = _sigmoid_kernel(f[i] - f[j], derivative)
                for c in range(q):
                    before[i, c] += weights[j, c] * g
            elif rank[j] > rank[i]:
                g = _sigmoid_kernel(f[i] - f[j], derivative)
                for c in range(q):
                    after[i, c] += weights[j, c] * g


@kernel
def assign_cells(f, by_score, width, cell, centers):
    """Tile the scores, in ascending order, by non-empty cells of ``width``; return the number of cells."""
    m = 0
    left = 0.0
    for i in by_score:
        if m == 0 or f[i] > left + width:
            left = f[i]
            centers[m] = left + 0.5 * width
            m += 1
        cell[i] = m - 1
    return m


@kernel
def find_neighbors(centers, reach, low, high):
    """Find the first and the last cell with a center within ``reach`` of each cell's; ``centers`` are ascending."""
    m = len(centers)
    a = 0
    b = 0
    for c in range(m):
        while centers[c] - centers[a] > reach:
            a += 1
        b = max(b, c)
        while b + 1 < m and centers[b + 1] - centers[c] <= reach:
            b += 1
        low[c] = a
        high[c] = b


@helper
def _add_row(y, w, c, derivative, cells, exp_nodes, running):
    """Add weights ``w`` at score ``y`` of cell ``c`` to the interpolated sums of all nearby cells."""
    centers, values, tail = cells.centers, running.values, running.tail
    k = len(exp_nodes)
    q = len(w)
    for near in range(cells.low[c], cells.high[c] + 1):
        scale = np.exp(centers[near] - y)
        for column in range(q):
            row = values[near, column]
            weight = w[column]
            if derivative == 0:
                for p in range(k):
                    u = exp_nodes[p] * scale
                    row[p] += weight * (u / (1.0 + u))
            elif derivative == 1:
                for p in range(k):
                    u = exp_nodes[p] * scale
                    s = 1.0 / (1.0 + u)
                    row[p] += weight * (u * s * s)
            else:
                for p in range(k):
                    u = exp_nodes[p] * scale
                    s = 1.0 / (1.0 + u)
                    row[p] += weight * (u * (1.0 - u) * s * s * s)
    if derivative == 0:
        # the sigmoid is 1 in cells far above: count in a Fenwick tree over the cells
        m = len(centers)
        at = cells.high[c] + 2
        while at <= m:
            for column in range(q):
                tail[at, column] += w[column]
            at += at & -at


@helper
def _read_row(x, c, derivative, cells, running, basis, out):
    """Evaluate the interpolated sums at score ``x`` of cell ``c`` (barycentric formula)."""
    nodes, node_weights, values, tail = cells.nodes, cells.node_weights, running.values, running.tail
    k = len(nodes)
    t = (x - cells.centers[c]) / cells.half_width
    hit = -1
    for p in range(k):
        if t == nodes[p]:
            hit = p
    if hit >= 0:
        for column in range(len(out)):
            out[column] = values[c, column, hit]
    else:
        total = 0.0
        for p in range(k):
            b = node_weights[p] / (t - nodes[p])
            basis[p] = b
            total += b
        for column in range(len(out)):
            s = 0.0
            for p in range(k):
                s += basis[p] * values[c, column, p]
            out[column] = s / total
    if derivative == 0:
        at = c + 1
        while at > 0:
            for column in range(len(out)):
                out[column] += tail[at, column]
            at -= at & -at


@kernel
def fast_sums(f, starts, weights, derivative, cells, running, before, after):
    """Fill ``before`` and ``after``, shape (n, q), by interpolation.

    Rows are in the order of their ranks, in inputs and outputs; rows ``starts[g]:starts[g + 1]`` share a rank.
    """
    q = weights.shape[1]
    of_row = cells.of_row
    exp_nodes = np.exp(cells.half_width * cells.nodes)
    basis = np.empty(len(cells.nodes))
    read = np.empty(q)
    for g in range(len(starts) - 1):
        for i in range(starts[g], starts[g + 1]):
            _read_row(f[i], of_row[i], derivative, cells, running, basis, before[i])
        for i in range(starts[g], starts[g + 1]):
            _add_row(f[i], weights[i], of_row[i], derivative, cells, exp_nodes, running)
        for i in range(starts[g], starts[g + 1]):
            _read_row(f[i], of_row[i], derivative, cells, running, basis, read)
            for c in range(q):
                after[i, c] = -read[c]
    for i in range(len(f)):
        _read_row(f[i], of_row[i], derivative, cells, running, basis, read)
        for c in range(q):
            after[i, c] += read[c]
