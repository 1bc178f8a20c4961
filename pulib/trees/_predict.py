"""Kernels that send rows down the trees of a forest.

Bounded by the latency of the chain node -> value -> next node.  A block of rows goes through a tree in step, so that many such
chains are under way at once; the block's rows stay in the first- or second-level cache while all trees pass over them.
"""

from typing import NamedTuple

import numba as nb
import numpy as np

from pulib.trees._tree import LEAF, Tree

BLOCK = 64


class Nodes(NamedTuple):
    """The trees of a forest one after the other, with node numbers counted through."""

    roots: np.ndarray  # (n_trees,) int64
    feature: np.ndarray  # int32; -1 at leaves
    threshold: np.ndarray  # float64
    right: np.ndarray  # int32; the left child is the next node
    value: np.ndarray  # int8


def pack(trees: list[Tree]) -> Nodes:
    """Concatenate trees for prediction."""
    sizes = np.array([tree.node_count for tree in trees], dtype=np.int64)
    roots = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    return Nodes(
        roots=roots,
        feature=np.concatenate([np.where(tree.children_left == LEAF, -1, tree.feature) for tree in trees]).astype(np.int32),
        threshold=np.concatenate([tree.threshold for tree in trees]),
        right=np.concatenate([tree.children_right + root for tree, root in zip(trees, roots, strict=True)]).astype(np.int32),
        value=np.concatenate([tree.value for tree in trees]),
    )


@nb.njit(cache=True, nogil=True)
def _descend(nodes, root, X, first, count, at, active):
    """Leaves of rows ``first .. first + count`` in the tree at ``root``, written to ``at``."""
    for i in range(count):
        at[i] = root
        active[i] = i
    left = count if nodes.feature[root] >= 0 else 0
    while left > 0:
        kept = 0
        for k in range(left):
            i = active[k]
            node = at[i]
            goes_left = X[first + i, nodes.feature[node]] <= nodes.threshold[node]
            node = node + 1 if goes_left else np.int64(nodes.right[node])
            at[i] = node
            active[kept] = i
            kept += np.int64(nodes.feature[node] >= 0)
        left = kept


@nb.njit(cache=True, nogil=True)
def add_votes(nodes, X, start, stop, votes):
    """Add the leaf values (+1 or -1) of all trees to ``votes[start:stop]`` (int32)."""
    at = np.empty(BLOCK, np.int64)
    active = np.empty(BLOCK, np.int64)
    for first in range(start, stop, BLOCK):
        count = min(BLOCK, stop - first)
        for root in nodes.roots:
            _descend(nodes, root, X, first, count, at, active)
            for i in range(count):
                votes[first + i] += nodes.value[at[i]]


@nb.njit(cache=True, nogil=True)
def find_leaves(nodes, X, start, stop, leaves):
    """Leaf numbers, counted within each tree, to ``leaves[start:stop, n_trees]`` (int32)."""
    at = np.empty(BLOCK, np.int64)
    active = np.empty(BLOCK, np.int64)
    for first in range(start, stop, BLOCK):
        count = min(BLOCK, stop - first)
        for tree in range(len(nodes.roots)):
            root = nodes.roots[tree]
            _descend(nodes, root, X, first, count, at, active)
            for i in range(count):
                leaves[first + i, tree] = at[i] - root
