"""Leaves' shares of labeled rows: scores of trees if positives are rare.

At a small π, nearly all leaves vote negative, so nearly all rows tie; at a larger one, a leaf with a single label votes like
one with many.  The share of labeled rows in a leaf ranks rows.  It is uncertain in small leaves, so each node's share is shrunk
toward its parent's, starting at the root (an m-estimate along the path; Zadrozny and Elkan, KDD 2001, use m-estimates for rare
classes).  Leaves without labels then score higher if labeled rows are near.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pulib._trees._tree import LEAF, Tree

#: Weight of the parent's share, in rows; measured (docs/inside.md).
SMOOTHING = 8.0
#: Sum over all trees of a share of 1; sums stay within int32.
_ONE = 2**30


def labeled_shares(tree: Tree) -> np.ndarray:
    """Smoothed share of labeled rows at each node; float64 array of shape (node_count,).

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.trees import PUDecisionTreeClassifier
    >>> from pulib.trees._shares import labeled_shares
    >>> X, y = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]]), [0, 0, 0, 0, 1, 1]
    >>> labeled_shares(PUDecisionTreeClassifier(prior=0.4).fit(X, y).tree_).round(3)
    array([0.333, 0.242, 0.424])
    """
    shares = np.empty(tree.node_count)
    shares[0] = tree.n_labeled[0] / (tree.n_labeled[0] + tree.n_unlabeled[0])
    level = np.array([0])
    while len(level):
        above = level[tree.children_left[level] != LEAF]
        for children in (tree.children_left[above], tree.children_right[above]):
            n_labeled = tree.n_labeled[children]
            rows = n_labeled + tree.n_unlabeled[children]
            shares[children] = (n_labeled + SMOOTHING * shares[above]) / (rows + SMOOTHING)
        level = np.concatenate([tree.children_left[above], tree.children_right[above]])
    return shares


def unit_of(n_trees: int) -> int:
    """Integer that represents a share of 1 in one of ``n_trees`` trees."""
    return max(_ONE // n_trees, 1)


def whole_shares(trees: Sequence[Tree], n_trees: int) -> list[np.ndarray]:
    """:func:`labeled_shares` of each tree in multiples of 1 / ``unit_of(n_trees)``; int32 arrays."""
    return [np.rint(labeled_shares(tree) * unit_of(n_trees)).astype(np.int32) for tree in trees]
