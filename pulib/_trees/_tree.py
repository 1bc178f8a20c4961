"""A tree as flat arrays, numbered in preorder: the left child of node i is i + 1."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pulib._memory import reserved

LEAF = -1
UNDEFINED = -2


class Tree(NamedTuple):
    """One grown tree; all arrays have shape (node_count,).

    Attributes
    ----------
    children_left, children_right : int32
        Node numbers; -1 at leaves.
    feature : int32
        The feature that the node tests; -2 at leaves.
    threshold : float64
        Rows with ``x[feature] <= threshold`` go left; -2 at leaves.
    risk : float64
        Minimum partial risk of the node (impurity times weight); the unbiased estimator can give -inf.
    weight : float64
        ``W_p + W_n``: the estimated probability of the node's region.
    n_labeled, n_unlabeled : int32
        Rows at the node.  With ``risk="pn"``, ``n_unlabeled`` counts negatives.
    value : int8
        The optimal prediction, +1 or -1.  Ties are broken at random at leaves, and are 0 at inner nodes.
    missing_go_to_left : bool
        Whether rows without a value of ``feature`` go left: chosen by risk if training rows at the node lacked a value, else
        the larger child.
    """

    children_left: np.ndarray
    children_right: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    risk: np.ndarray
    weight: np.ndarray
    n_labeled: np.ndarray
    n_unlabeled: np.ndarray
    value: np.ndarray
    missing_go_to_left: np.ndarray

    @property
    def node_count(self) -> int:
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        return int(np.count_nonzero(self.children_left == LEAF))

    @property
    def max_depth(self) -> int:
        return int(node_depths(self).max())

    @property
    def n_node_samples(self) -> np.ndarray:
        return self.n_labeled + self.n_unlabeled


_DTYPES = (np.int32, np.int32, np.int32, np.float64, np.float64, np.float64, np.int32, np.int32, np.int8, np.bool_)


def empty_tree(node_count: int) -> Tree:
    """Reserve arrays for a tree to be grown; unused memory is not allocated."""
    return Tree(*(reserved((node_count,), dtype) for dtype in _DTYPES))


def trimmed(tree: Tree, node_count: int) -> Tree:
    """Copy the first ``node_count`` nodes."""
    return Tree(*(array[:node_count].copy() for array in tree))


def node_depths(tree: Tree) -> np.ndarray:
    """Depth of each node; 0 for the root."""
    depth = np.zeros(tree.node_count, dtype=np.int32)
    level = np.array([0])
    while len(level):
        inner = level[tree.children_left[level] != LEAF]
        children = np.concatenate([tree.children_left[inner], tree.children_right[inner]])
        depth[children] = np.concatenate([depth[inner], depth[inner]]) + 1
        level = children
    return depth
