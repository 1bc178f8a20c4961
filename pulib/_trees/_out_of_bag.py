"""Votes of trees on the rows that they were not grown on."""

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
    """As many of the rows as there are, in proportion to their weights."""
    ends = np.cumsum(weights)
    places = np.empty(len(rows))
    _draw_shares(state, places)
    return np.sort(rows[np.searchsorted(ends[:-1], places * ends[-1], side="right")])


def draw_bootstrap(rows: Rows, state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As many labeled and as many unlabeled rows as there are, each with repetitions."""
    if rows.groups is not None:
        return _draw_from_groups(rows, rows.groups, state)
    return _draw(rows.labeled, rows.weights, state), _draw(rows.unlabeled, rows.weights, state)


def _draw_from_groups(rows: Rows, groups: np.ndarray, state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Groups with repetitions, as many with labeled rows and as many without as there are; then rows from these groups.

    A row's chance is in proportion to its weight and to how often its group was drawn.  So a bag holds as many labeled and as
    many unlabeled rows as every other one, whatever the sizes of its groups.
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
        if chances[1].any():  # groups with labeled rows may be all that there are, and some of these without an unlabeled row
            labeled, unlabeled = (_draw_by(*pair, state) for pair in zip((rows.labeled, rows.unlabeled), chances, strict=True))
            return labeled, unlabeled


def out_of_bag(rows: Rows, n: int, state: np.ndarray) -> np.ndarray:
    """Which of ``n`` rows a bag leaves out: those that are not in it, or, with groups, no row of whose group is."""
    out = np.ones(n, bool)
    for drawn in draw_bootstrap(rows, state):
        out[drawn] = False
    return out if rows.groups is None else wholly(out, rows.groups)


def wholly(out: np.ndarray, units: np.ndarray) -> np.ndarray:
    """Which rows are of a unit that is left out as a whole."""
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
    """Sums of leaves' values over the trees that did not draw a row, and how many these are; int32 of shape (2, n_samples).

    ``seeds`` are those that the trees were grown from, and their bags drawn.  With groups, a tree counts for the rows of whose
    group it drew none.  ``values`` as :func:`pack` takes them.  The second row is that of trees which drew no row ``equal`` to
    it either, and the same as the first where there are no equal rows.
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
