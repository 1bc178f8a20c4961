"""Labels that do not look selected at random, where an estimate of the class prior rests on that."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pulib._priors._build import Built
from pulib._priors._columns import comparable
from pulib._priors._interval import percentiles
from pulib._priors._rank_test import compare_ranks
from pulib._priors._subtypes import Subtypes, cells_of
from pulib._weights import ones_for_none, thinned

#: The check for selection at random in every estimate: p-value, permutations, rows of either kind, and columns.
_ALPHA, _PERMUTATIONS, _MOST_ROWS, _MOST_COLUMNS = 0.002, 999, 400, 200
#: Of the estimate by subtype: resamples, and how far it lies beyond best bin's interval where labels are not at random.
_RESAMPLES, _BEYOND = 50, 1.15
#: With fewer likely positives of either kind, no comparison is made.
_LEAST_ROWS = 10


class Bias(NamedTuple):
    """Labels that do not look selected at random: the share of positives by subtype, with an interval; where it shows by ranks,
    the column that differs, and the p-value."""

    share: float
    low: float
    high: float
    column: Any = None
    p_value: float = 1.0


def find_bias(built: Built, high: float, confidence: float, random_state: int) -> Bias | None:
    """Evidence against selection at random in what best bin has seen; None if there is none.

    The estimate by subtype, if it lies well above best bin's interval, which ends at ``high``: then labels may be at random
    within subtypes only.  And :func:`pulib.check_scar` in small: on 400 likely positives of either kind and 200 columns at
    most.
    """
    X, positive, groups = built.X, built.positive, built.groups
    rare = built.method.is_rare(built.weights)  # then most of the likely positives are negatives
    if rare and built.method.binomial:  # and the few labels of a subtype give it too many positives
        return None
    cells = cells_of(X, positive, random_state, built.weights)
    by_subtype = Subtypes(built.method.scores, positive, cells, built.method.independent)
    share = by_subtype.share(ones_for_none(built.weights, len(positive)))
    low, greatest = percentiles(by_subtype, positive, confidence, _RESAMPLES, random_state, groups, built.weights)
    column, p_value = (None, 1.0) if rare else _column_that_differs(built, random_state)
    if share <= _BEYOND * high and column is None:
        return None
    return Bias(share, min(low, share), max(greatest, 2.0 * share - low), column, p_value)


def _column_that_differs(built: Built, random_state: int) -> tuple[Any, float]:
    """The column in which likely positives with a label differ from those without, and the p-value; None where none does."""
    rng = np.random.RandomState(random_state)
    likely = built.method.likely(built.weights)
    both = np.flatnonzero(likely & built.positive), np.flatnonzero(likely & ~built.positive)
    sides = [thinned(built.weights, side, rng) for side in both]
    if min(map(len, sides)) < _LEAST_ROWS:
        return None, 1.0
    rows = np.concatenate([rng.permutation(side)[:_MOST_ROWS] for side in sides])
    columns = comparable(built.X, rows)
    if not columns.names:
        return None, 1.0
    some = np.sort(rng.permutation(len(columns.names))[:_MOST_COLUMNS])
    groups = None if built.groups is None else built.groups[rows]
    test = compare_ranks(columns.rows[:, some], built.positive[rows], _PERMUTATIONS, rng, groups)
    return (columns.names[some[test.column]], test.p_value) if test.p_value <= _ALPHA else (None, test.p_value)
