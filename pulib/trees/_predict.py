"""Kernels that send rows down the trees of a forest.

A block of rows goes down a tree together: each node parts the rows that reach it, as while growing, so that a node is read once
for all of them and its feature's values lie next to each other in the second-level cache.  Bounded by the instructions of that
parting, about one nanosecond a row and level.  Where few rows are left at a node, each follows the chain of node, value and
next node by itself, which latency bounds.

To lay a feature's values side by side costs about a nanosecond a value, and pays where trees ask for as many values as a row
has.  Else values are taken from the rows.  If trees ask for most cache lines of a row, the rows are read through before: in
order, which the memory's bandwidth bounds, where each load by itself would wait for its line.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pulib._borrowed import borrowed
from pulib._compiled import helper, kernel
from pulib.trees._tree import LEAF, Tree

# Rows in a block: so many that its values fill a second-level cache, within limits.
import os
BLOCK_BYTES = int(os.environ.get('BB',1<<20))
MOST_ROWS, LEAST_ROWS = 8192, 256
# So few rows at a node go on one by one.
FEW = 6
# So many columns at a time take their values from rows.
TILE = 16
LINE_BYTES = 64

# What rows are compared with: the greatest number of their own type that is not above the threshold (-1 is below all codes).
_KEYS = {"uint8": np.int16, "float32": np.float32, "float64": np.float64}


class Nodes(NamedTuple):
    """The trees of a forest one after the other.

    The left child is the next node.  ``other`` is the right child's distance from the root, or the value of a leaf (+1 or -1,
    or what it was given), whose ``feature`` is -1.
    """

    roots: np.ndarray  # (n_trees,) int64
    node: np.ndarray  # of key, feature, other
    missing_go_to_left: np.ndarray  # bool, of each node
    depth: int  # of the deepest tree


class Block(NamedTuple):
    """Rows that go down together."""

    X: np.ndarray  # all rows
    first: int
    n_rows: int
    columns: np.ndarray | None  # (n_features, n_rows): the block's values; None where they are taken from the rows
    step: int  # between values of a row that are read before; 0 where none is


def pack(
    trees: list[Tree], dtype: np.dtype, columns: np.ndarray | None = None, values: list[np.ndarray] | None = None
) -> Nodes:
    """Concatenate trees for the prediction of rows of one type.

    The rows hold all features, or these ``columns``, ascending; ``values`` of nodes (int32) take the place of +1 and -1.
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
    return Nodes(roots, node, to_left, max(tree.max_depth for tree in trees))


def _keys(threshold: np.ndarray, key_type: type) -> np.ndarray:
    if key_type is np.int16:
        return np.clip(np.floor(threshold), -1, 255)
    with np.errstate(over="ignore"):
        keys: np.ndarray = threshold.astype(key_type)
    above = keys > threshold
    keys[above] = np.nextafter(keys[above], key_type(-np.inf))
    return keys


@helper
def _value(columns, X, first, i, feature):
    """A value of row ``first + i``: from the block's columns, or from the row where there are none."""
    if columns is None:
        return X[np.uint64(first) + i, feature]
    return columns[feature, i]


@helper
def _to_left(missing, node):
    """Whether rows without a value go left; ``missing`` is None where every row has all its values."""
    if missing is None:
        return False
    return missing[node]


@helper
def _goes_left(value, key, to_left, missing):
    if missing is None:
        return value <= key
    return value <= key or (to_left and value != value)


@helper
def _go_down(nodes, missing, tree, block, order, stack, out):
    """Send a block of rows down one tree.

    ``order[0]`` and ``order[1]`` take turns: the rows at a node of the one are parted into the other, left ones from the front
    and right ones from the back.
    """
    root = nodes.roots[tree]
    for i in range(block.n_rows):
        order[0, i] = i
    node, begin, end, turn = np.uint64(root), np.uint64(0), np.uint64(block.n_rows), 0
    size = 0
    while True:
        feature = nodes.node[node]["feature"]
        if feature >= 0:
            key = nodes.node[node]["key"]
            to_left = _to_left(missing, node)
            left = begin
            gap = end - begin
            for k in range(begin, end):
                i = order[turn, k]
                value = _value(block.columns, block.X, block.first, np.uint64(i), np.uint64(feature))
                gap -= np.uint64(1)
                order[1 - turn, left] = i  # without a branch: the losing write is overwritten
                order[1 - turn, left + gap] = i
                left += np.uint64(_goes_left(value, key, to_left, missing))
            turn = 1 - turn
            if left == begin:
                node = np.uint64(root) + np.uint64(nodes.node[node]["other"])
                continue
            if left < end:
                stack[size, 0], stack[size, 1] = root + nodes.node[node]["other"], left
                stack[size, 2], stack[size, 3] = end, turn
                size += 1
            node, end = node + np.uint64(1), left
            continue
        first = np.uint64(block.first)
        for k in range(begin, end):
            row = first + np.uint64(order[turn, k])
            if out.ndim == 1:
                out[row] += nodes.node[node]["other"]
            else:
                out[row, tree] = np.int64(node) - root
        if size == 0:
            return
        size -= 1
        node, begin, end, turn = np.uint64(stack[size, 0]), np.uint64(stack[size, 1]), np.uint64(stack[size, 2]), stack[size, 3]


@helper
def _transpose_block(X, first, count, columns):
    if columns is None:
        return
    for j0 in range(0, X.shape[1], TILE):
        j1 = j0 + TILE if j0 + TILE < X.shape[1] else X.shape[1]
        for i in range(count):
            for j in range(j0, j1):
                columns[j, i] = X[first + i, j]


@helper
def _read_through(X, first, count, step):
    """Bring rows into the cache, a value of each line; the sum keeps the compiler from leaving the loads out."""
    total = 0.0
    if step > 0:
        for i in range(count):
            for j in range(0, X.shape[1], step):
                total += X[first + i, j]
    return total


@kernel
def _go_down_all(nodes, missing, block, order, stack, out):
    """A block of rows down all trees."""
    nodes, missing, block = borrowed(nodes), borrowed(missing), borrowed(block)
    order, stack = borrowed(order), borrowed(stack)
    _transpose_block(block.X, block.first, block.n_rows, block.columns)
    total = _read_through(block.X, block.first, block.n_rows, block.step)
    for tree in range(len(nodes.roots)):
        _go_down(nodes, missing, tree, block, order, stack, out)
    return total


def send_down(nodes: Nodes, X: np.ndarray, start: int, stop: int, out: np.ndarray, holds_missing: bool = False) -> None:
    """Rows ``start .. stop`` of ``X`` down all trees.

    Parameters
    ----------
    out : int32 array
        Of shape (n_samples,): takes the sums of the leaves' values; of shape (n_samples, n_trees): takes the
        numbers of the leaves, counted within each tree.
    holds_missing : bool
        Whether NaN is to be looked for.
    """
    missing = nodes.missing_go_to_left if holds_missing else None
    width = X.shape[1] * X.itemsize
    rows = min(max(BLOCK_BYTES // width, LEAST_ROWS), MOST_ROWS, max(stop - start, 1))
    asked = len(nodes.roots) * np.log2(len(nodes.node) / len(nodes.roots))  # values of a row, about
    several = stop - start > FEW
    narrow = several and width * LEAST_ROWS <= BLOCK_BYTES and X.shape[1] <= asked
    columns = np.empty((X.shape[1], rows), X.dtype) if narrow else None
    step = LINE_BYTES // X.itemsize if several and not narrow and width <= asked * LINE_BYTES else 0
    order, stack = np.empty((2, rows), np.uint16), np.empty((nodes.depth + 2, 4), np.int64)
    for first in range(start, stop, rows):
        block = Block(X, first, min(rows, stop - first), columns, step)
        _go_down_all(nodes, missing, block, order, stack, out)
