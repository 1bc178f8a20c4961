"""Grow trees from seeds, each on all rows or on a bootstrap sample."""

from __future__ import annotations

import numpy as np

from pulib._random import new_state
from pulib._trees._data import Data
from pulib._trees._grow import Rule, Scratch, grow_tree, new_scratch
from pulib._trees._out_of_bag import draw_bootstrap
from pulib._trees._rows import Rows
from pulib._trees._tree import Tree, empty_tree, trimmed


def grow_one(data: Data, rule: Rule, rows: Rows, seed: int, scratch: Scratch, room: Tree, *, bootstrap: bool) -> Tree:
    """Grow the tree for a seed; ``scratch`` and ``room`` are overwritten."""
    state = new_state(seed)
    labeled, unlabeled = draw_bootstrap(rows, state) if bootstrap else (rows.labeled.copy(), rows.unlabeled.copy())
    return trimmed(room, grow_tree(data, rule, labeled, unlabeled, scratch, room, state))


def grow_many(
    data: Data, rule: Rule, rows: Rows, seeds: np.ndarray, bootstrap: bool = False, free: list | None = None
) -> list[Tree]:
    """Grow one tree per seed, in the calling thread.

    ``free`` is a pool of working memory that calls on the same rows share: the allocator keeps freed memory, and would give
    each call a new block.
    """
    n = len(rows.labeled) + len(rows.unlabeled)
    free = [] if free is None else free
    try:
        scratch, room = free.pop()
    except IndexError:
        scratch, room = new_scratch(data, rule, n), empty_tree(2 * n - 1)
    trees = [grow_one(data, rule, rows, seed, scratch, room, bootstrap=bootstrap) for seed in seeds]
    free.append((scratch, room))
    return trees
