"""Bootstrap samples of rows, and votes of trees on out-of-bag rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulib._compiled import kernel
from pulib._random import new_state, random_below, random_double
from pulib._trees._predict import pack, send_down
from pulib._trees._rows import Rows
from pulib._trees._sparse import dense_parts, select_columns
from pulib._trees._tree import Tree


@kernel
def _draw_below(state, n, drawn):
    """Fill ``drawn`` with integers uniform on 0..n-1."""
    for i in range(len(drawn)):
        drawn[i] = random_below(state, n)


@kernel
def _draw_shares(state, drawn):
    """Fill ``drawn`` with numbers uniform on [0, 1)."""
    for i in range(len(drawn)):
        drawn[i] = random_double(state)


def _draw(rows: np.ndarray, weights: np.ndarray | None, state: np.ndarray) -> np.ndarray:
    if weights is not None:
        return _draw_by(rows, weights[rows], state)
    drawn = np.empty(len(rows), np.int64)
    _draw_below(state, len(rows), drawn)
    return np.sort(rows[drawn])


def _draw_by(rows: np.ndarray, weights: np.ndarray, state: np.ndarray) -> np.ndarray:
    """Draw ``len(rows)`` rows with replacement, in proportion to their weights."""
    ends = np.cumsum(weights)
    places = np.empty(len(rows))
    _draw_shares(state, places)
    return np.sort(rows[np.searchsorted(ends[:-1], places * ends[-1], side="right")])


def draw_bootstrap(rows: Rows, state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Draw a bootstrap sample of the labeled rows and one of the unlabeled rows."""
    if rows.groups is not None:
        return _draw_from_groups(rows, rows.groups, state)
    return _draw(rows.labeled, rows.weights, state), _draw(rows.unlabeled, rows.weights, state)


def _draw_from_groups(rows: Rows, groups: np.ndarray, state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Draw groups with labeled rows and groups without, each with replacement; then draw rows from these groups.

    A row's probability is proportional to its weight and to how often its group was drawn.  All samples have the same numbers
    of labeled and of unlabeled rows, regardless of group sizes.
    """
    with_labels = np.unique(groups[rows.labeled])
    without = np.setdiff1d(groups[rows.unlabeled], with_labels)
    weights = np.ones(len(groups)) if rows.weights is None else rows.weights
    while True:
        times = np.zeros(int(groups.max()) + 1)
        for kind in (with_labels, without):
            if len(kind):
                drawn = np.empty(len(kind), np.int64)
                _draw_below(state, len(kind), drawn)
                np.add.at(times, kind[drawn], 1.0)
        chances = [weights[kind] * times[groups[kind]] for kind in (rows.labeled, rows.unlabeled)]
        if chances[1].any():  # every group may have labeled rows, and some may have nothing else
            labeled, unlabeled = (_draw_by(*pair, state) for pair in zip((rows.labeled, rows.unlabeled), chances, strict=True))
            return labeled, unlabeled


def out_of_bag(rows: Rows, n: int, state: np.ndarray) -> np.ndarray:
    """Mask of the ``n`` rows that were not drawn; with groups, of the rows whose whole group was not drawn."""
    out = np.ones(n, bool)
    for drawn in draw_bootstrap(rows, state):
        out[drawn] = False
    return out if rows.groups is None else wholly(out, rows.groups)


def wholly(out: np.ndarray, units: np.ndarray) -> np.ndarray:
    """Mask of the rows whose whole unit (group, or set of equal rows) is out of bag."""
    inside = np.zeros(int(units.max()) + 1, bool)
    inside[units[~out]] = True
    return ~inside[units]


def votes_out_of_bag(
    trees: list[Tree],
    seeds: np.ndarray,
    drawn_from: Rows,
    X: Any,
    missing: bool,
    values: list[np.ndarray] | None = None,
    equal: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Sums of leaf values over the trees that did not draw a row, and the numbers of these trees; int32, shape (2, n_samples).

    The first row of each result is over the trees for which the row (with groups, its whole group) is out of bag; the second
    row is over those that also drew no ``equal`` row, and is the same as the first if ``equal`` is None.  ``seeds`` are the
    trees' own; ``values`` is as for :func:`pack`.
    """
    n = X.shape[0]
    total, times = np.zeros((2, n), np.int32), np.zeros((2, n), np.int32)
    for i, (tree, seed) in enumerate(zip(trees, seeds, strict=True)):
        out = out_of_bag(drawn_from, n, new_state(seed))
        asked, columns = select_columns(X, [tree])
        votes, nodes = np.zeros(n, np.int32), pack([tree], X.dtype, columns, None if values is None else [values[i]])
        for part, rows in dense_parts(asked):
            send_down(nodes, rows, 0, len(rows), votes[part], missing)
        outs = np.stack([out, out if equal is None else wholly(out, equal)])
        total += np.where(outs, votes, 0)
        times += outs
    return total, times
