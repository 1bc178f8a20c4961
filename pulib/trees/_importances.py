"""Risk reduction importance (section 4): the total risk reduction of the splits on each feature."""

from __future__ import annotations

import numpy as np

from pulib._trees._tree import LEAF, Tree


def risk_reductions(tree: Tree) -> np.ndarray:
    """Risk of each node minus that of its children; 0 at leaves, +inf if a child's risk is -inf."""
    inner = np.flatnonzero(tree.children_left != LEAF)
    reductions = np.zeros(tree.node_count)
    children = tree.risk[tree.children_left[inner]] + tree.risk[tree.children_right[inner]]
    reductions[inner] = tree.risk[inner] - children
    return reductions


def tree_importances(tree: Tree, n_features: int, *, normalized: bool = False) -> np.ndarray:
    """Sum of the risk reductions per feature, in units of risk.

    If ``normalized``, each node's reduction is first divided by its weight ``W_p + W_n``, so that small nodes count as much as
    large ones.  Infinite reductions (the unbiased estimator with a loss that is unbounded below) are left out: otherwise, every
    feature with a split that isolates labeled rows would be infinitely important.
    """
    inner = tree.children_left != LEAF
    reductions = risk_reductions(tree)[inner]
    if normalized:
        reductions = reductions / tree.weight[inner]
    reductions[~np.isfinite(reductions)] = 0.0
    return np.bincount(tree.feature[inner], weights=reductions, minlength=n_features)
