"""Kernels that send rows down the trees of a forest.

A block of rows goes down a tree together: each node partitions its rows, as in growing, so that a node is read once for all of
them, and its feature's values are adjacent in the L2 cache.  Bounded by the instructions of the partition (less than a
nanosecond per row and level), and at nodes of few rows by branch mispredictions.

Transposing costs about a nanosecond per value, and pays off if trees read about as many values as a row has.  Otherwise values
are read from the rows.  If trees read most cache lines of a row, the rows are first read in sequence, which is limited by
memory bandwidth rather than by the latency of each load.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pulib._borrowed import borrowed
from pulib._compiled import frozen, helper, kernel
from pulib._trees._data import transpose
from pulib._trees._tree import LEAF, Tree

# Size of a block of rows: the L2 cache, within limits on the number of rows.  Row numbers have 16 bits.
BLOCK_BYTES = 1 << 20
MOST_ROWS, LEAST_ROWS = 8192, 256
# With fewer rows than this, transposing them costs more than it saves.
FEW = 6
LINE_BYTES = 64

# Types of keys.  A key is the largest number of the rows' type that does not exceed the threshold (-1 is below all codes).
_KEYS = {"uint8": np.int16, "float32": np.float32, "float64": np.float64}


class Nodes(NamedTuple):
    """The concatenated trees of a forest.

    The left child is the next node.  ``other`` is the right child's distance from the root or, at leaves (``feature`` is -1),
    the value.
    """

    roots: np.ndarray  # (n_trees,) int64
    node: np.ndarray  # structured: key, feature, other
    missing_go_to_left: np.ndarray  # bool, of each node
    most_open: int  # bound on the number of a tree's nodes waiting on the stack


def pack(
    trees: list[Tree], dtype: np.dtype, columns: np.ndarray | None = None, values: list[np.ndarray] | None = None
) -> Nodes:
    """Concatenate trees to predict rows of one type.

    Rows hold all features, or only the ascending ``columns``; node ``values`` (int32), if given, replace +1 and -1.
    """
    key_type = _KEYS[dtype.name]
    sizes = np.array([tree.node_count for tree in trees], dtype=np.int64)
    node = np.empty(sizes.sum(), np.dtype([("key", key_type), ("feature", np.int32), ("other", np.int32)], align=True))
    roots = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    values = [tree.value for tree in trees] if values is None else values
    for tree, value, root, size in zip(trees, values, roots, sizes, strict=True):
        packed = node[root : root + size]
        leaf = tree.children_left == LEAF
        packed["key"] = _keys(tree.threshold, key_type)
        feature = tree.feature if columns is None else np.searchsorted(columns, tree.feature)
        packed["feature"] = np.where(leaf, -1, feature)
        packed["other"] = np.where(leaf, value, tree.children_right)
    to_left = np.concatenate([tree.missing_go_to_left for tree in trees])
    return Nodes(roots, node, to_left, int(sizes.max()) // 2 + 1)


def _keys(threshold: np.ndarray, key_type: type) -> np.ndarray:
    if key_type is np.int16:
        return np.clip(np.floor(threshold), -1, 255)
    with np.errstate(over="ignore"):
        keys: np.ndarray = threshold.astype(key_type)
    above = keys > threshold
    keys[above] = np.nextafter(keys[above], key_type(-np.inf))
    return keys


@helper
def _to_left(missing, node):
    """Whether rows without a value go left; ``missing`` is None if no value is missing."""
    if missing is None:
        return False
    return missing[node]


@helper
def _goes_left(value, key, to_left, missing):
    if missing is None:
        return value <= key
    return value <= key or (to_left and value != value)


@helper(forceinline=True)
def _part(values, first, step, key, to_left, missing, order, turn, begin, end):
    """Partition the rows ``order[turn, begin:end]`` into the other half: left ones from the front, right ones from the back."""
    other = np.uint64(1) - turn
    left = begin
    gap = end - begin
    for k in range(begin, end):
        i = order[turn, k]
        gap -= np.uint64(1)
        order[other, left] = i  # branch-free: the wrong write is overwritten
        order[other, left + gap] = i
        left += np.uint64(_goes_left(values[first + np.uint64(i) * step], key, to_left, missing))
    return left


@helper
def _go_down(nodes, missing, tree, values, steps, order, stack, out):
    """Send a block of rows down one tree, partitioning from ``order[0]`` into ``order[1]`` and back at alternate levels."""
    root = np.uint64(nodes.roots[tree])
    row_step, feature_step, summed = np.uint64(steps[0]), np.uint64(steps[1]), steps[2]
    for i in range(len(out)):
        order[0, i] = i
    node, begin, end, turn = root, np.uint64(0), np.uint64(len(out)), np.uint64(0)
    waiting = 0
    while True:
        if nodes.node[node]["feature"] >= 0:
            first = np.uint64(nodes.node[node]["feature"]) * feature_step
            key = nodes.node[node]["key"]
            to_left = _to_left(missing, node)
            if row_step == np.uint64(1):  # a compile-time constant: no multiplication
                left = _part(values, first, np.uint64(1), key, to_left, missing, order, turn, begin, end)
            else:
                left = _part(values, first, row_step, key, to_left, missing, order, turn, begin, end)
            turn = np.uint64(1) - turn
            if left == begin:
                node = root + np.uint64(nodes.node[node]["other"])
                continue
            if left < end:
                stack[waiting, 0], stack[waiting, 1] = root + np.uint64(nodes.node[node]["other"]), left
                stack[waiting, 2], stack[waiting, 3] = end, turn
                waiting += 1
            node, end = node + np.uint64(1), left
            continue
        if summed:
            for k in range(begin, end):
                out[order[turn, k], 0] += nodes.node[node]["other"]
        else:
            for k in range(begin, end):
                out[order[turn, k], tree] = np.int64(node - root)
        if waiting == 0:
            return
        waiting -= 1
        node, begin, end, turn = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2], stack[waiting, 3]


@kernel
def _go_down_all(nodes, missing, values, steps, order, stack, out):
    """Send a block of rows down all trees.

    ``steps`` is (stride between rows, stride between features, whether ``out`` takes sums).
    """
    nodes, missing, values, steps = borrowed(nodes), borrowed(missing), borrowed(values), borrowed(steps)
    order, stack, out = borrowed(order), borrowed(stack), borrowed(out)
    for tree in range(len(nodes.roots)):
        _go_down(nodes, missing, tree, values, steps, order, stack, out)


@kernel
def _read_through(X, step):
    """Load one value per cache line of the rows; the returned sum keeps the compiler from dropping the loads."""
    total = 0.0
    for i in range(X.shape[0]):
        for j in range(0, X.shape[1], step):
            total += X[i, j]
    return total


def send_down(nodes: Nodes, X: np.ndarray, start: int, stop: int, out: np.ndarray, holds_missing: bool = False) -> None:
    """Send rows ``start:stop`` of a read-only C-ordered ``X`` down all trees; ``holds_missing``: ``X`` may contain NaN.

    ``out`` (int32) receives the sums of leaf values if it has shape (n_samples,), and each tree's leaf numbers if it has shape
    (n_samples, n_trees).
    """
    missing = nodes.missing_go_to_left if holds_missing else None
    d = X.shape[1]
    width = d * X.itemsize
    count = min(max(BLOCK_BYTES // width, LEAST_ROWS), MOST_ROWS, max(stop - start, 1))
    asked = len(nodes.roots) * np.log2(len(nodes.node) / len(nodes.roots))  # about how many values of a row trees read
    several = stop - start > FEW
    by_columns = several and width * LEAST_ROWS <= BLOCK_BYTES and d <= asked
    read_before = several and not by_columns and width <= asked * LINE_BYTES
    order, stack = np.empty((2, count), np.uint16), np.empty((nodes.most_open, 4), np.uint64)
    places = out[:, None] if out.ndim == 1 else out
    columns, every = np.empty((d, count if by_columns else 0), X.dtype), np.arange(d)
    for first in range(start, stop, count):
        rows = X[first : min(first + count, stop)]
        n = len(rows)
        if by_columns:
            transpose(rows, every, columns)
        elif read_before:
            _read_through(rows, LINE_BYTES // X.itemsize)
        values = frozen(columns).reshape(-1) if by_columns else rows.reshape(-1)
        steps = np.array([1, count, out.ndim == 1] if by_columns else [d, 1, out.ndim == 1], np.int64)
        _go_down_all(nodes, missing, values, steps, order, stack, places[first : first + n])
