"""Kernels that send rows down the trees of a forest.

Bounded by the latency of the chain node -> value -> next node.  A block of rows goes through a tree in step, so that many such
chains are under way at once.  Each tree passes over a stretch of rows that fits into the second-level cache, so that both the
rows and the tree are read from there.
"""

from typing import NamedTuple

import numpy as np

from pulib._compiled import helper, kernel
from pulib.trees._tree import LEAF, Tree

BLOCK = 64  # rows in step
STRETCH_BYTES = 1 << 18

# One node in 16 bytes, a quarter of a cache line.  The left child is the next node; ``other`` is the right child's distance
# from the root, or the value (+1 or -1) of a leaf, whose ``feature`` is -1.
NODE = np.dtype([("threshold", np.float64), ("feature", np.int32), ("other", np.int32)], align=True)


class Nodes(NamedTuple):
    """The trees of a forest one after the other."""

    roots: np.ndarray  # (n_trees,) int64
    node: np.ndarray  # NODE


def pack(trees: list[Tree]) -> Nodes:
    """Concatenate trees for prediction."""
    sizes = np.array([tree.node_count for tree in trees], dtype=np.int64)
    node = np.empty(sizes.sum(), NODE)
    roots = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    for tree, root, size in zip(trees, roots, sizes, strict=True):
        own = node[root : root + size]
        leaf = tree.children_left == LEAF
        own["threshold"] = tree.threshold
        own["feature"] = np.where(leaf, -1, tree.feature)
        own["other"] = np.where(leaf, tree.value, tree.children_right)
    return Nodes(roots, node)


@helper
def _descend(nodes, root, X, first, count, at, active):
    """Leaves of rows ``first .. first + count`` in the tree at ``root``, written to ``at``."""
    for i in range(count):
        at[i] = root
        active[i] = i
    begin = np.uint64(root)
    row = np.uint64(first)
    left = count if nodes.node[root]["feature"] >= 0 else 0
    while left > 0:
        kept = np.uint64(0)
        for k in range(np.uint64(left)):
            i = active[k]
            node = at[i]
            value = X[row + i, np.uint64(nodes.node[node]["feature"])]
            goes_left = value <= nodes.node[node]["threshold"]
            node = node + np.uint64(1) if goes_left else begin + np.uint64(nodes.node[node]["other"])
            at[i] = node
            active[kept] = i
            kept += np.uint64(nodes.node[node]["feature"] >= 0)
        left = np.int64(kept)


@kernel
def add_votes(nodes, X, start, stop, votes):
    """Add the leaf values (+1 or -1) of all trees to ``votes[start:stop]`` (int32)."""
    at = np.empty(BLOCK, np.uint64)
    active = np.empty(BLOCK, np.uint64)
    stretch = max(BLOCK, STRETCH_BYTES // (X.shape[1] * X.itemsize))
    for begin in range(start, stop, stretch):
        end = min(stop, begin + stretch)
        for tree in range(len(nodes.roots)):
            for first in range(begin, end, BLOCK):
                count = min(BLOCK, end - first)
                _descend(nodes, nodes.roots[tree], X, first, count, at, active)
                for i in range(count):
                    votes[first + i] += nodes.node[at[i]]["other"]


@kernel
def find_leaves(nodes, X, start, stop, leaves):
    """Leaf numbers, counted within each tree, to ``leaves[start:stop, n_trees]`` (int32)."""
    at = np.empty(BLOCK, np.uint64)
    active = np.empty(BLOCK, np.uint64)
    for first in range(start, stop, BLOCK):
        count = min(BLOCK, stop - first)
        for tree in range(len(nodes.roots)):
            _descend(nodes, nodes.roots[tree], X, first, count, at, active)
            for i in range(count):
                leaves[first + i, tree] = np.int64(at[i]) - nodes.roots[tree]
