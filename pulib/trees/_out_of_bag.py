"""Votes of trees on the rows that they were not grown on."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulib._compiled import kernel
from pulib._random import new_state, random_below
from pulib.trees._predict import pack, send_down
from pulib.trees._sparse import dense_parts
from pulib.trees._tree import Tree


@kernel
def _draw_below(state, n, drawn):
    """Fill ``drawn`` with integers uniform on 0..n-1."""
    for i in range(len(drawn)):
        drawn[i] = random_below(state, n)


def _draw(rows: np.ndarray, state: np.ndarray) -> np.ndarray:
    drawn = np.empty(len(rows), np.int64)
    _draw_below(state, len(rows), drawn)
    return np.sort(rows[drawn])


def draw_bootstrap(labeled: np.ndarray, unlabeled: np.ndarray, state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As many labeled and as many unlabeled rows as there are, each with repetitions."""
    return _draw(labeled, state), _draw(unlabeled, state)


def votes_out_of_bag(
    trees: list[Tree], seeds: np.ndarray, labeled: np.ndarray, unlabeled: np.ndarray, X: Any, missing: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Sums of +1 and -1 over the trees that did not draw a row, and how many these are; int32 arrays of shape (n_samples,)."""
    n = X.shape[0]
    total, times = np.zeros(n, np.int32), np.zeros(n, np.int32)
    for tree, seed in zip(trees, seeds, strict=True):
        out = np.ones(n, bool)
        for drawn in draw_bootstrap(labeled, unlabeled, new_state(seed)):
            out[drawn] = False
        votes, nodes = np.zeros(n, np.int32), pack([tree], X.dtype)
        for part, rows in dense_parts(X):
            send_down(nodes, rows, 0, len(rows), votes[part], missing)
        total += np.where(out, votes, 0)
        times += out
    return total, times
