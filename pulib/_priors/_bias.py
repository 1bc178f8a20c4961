"""Detect labels that do not look selected at random, which estimates of the class prior assume."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pulib._priors._build import Built
from pulib._priors._columns import comparable
from pulib._priors._interval import percentiles
from pulib._priors._rank_test import compare_ranks
from pulib._priors._subtypes import Subtypes, cells_of
from pulib._weights import ones_for_none, thinned

#: For the rank test: level, permutations, and maximum numbers of rows of each kind and of columns.
_ALPHA, _PERMUTATIONS, _MOST_ROWS, _MOST_COLUMNS = 0.002, 999, 400, 200
#: For the estimate by subtype: resamples, and the multiple of the upper end of best bin's interval that is evidence of bias.
_RESAMPLES, _BEYOND = 50, 1.15
#: Minimum number of likely positives of each kind for the rank test.
_LEAST_ROWS = 10


class Bias(NamedTuple):
    """The share of positives by subtype with an interval, and the column and p-value of the rank test if it found one."""

    share: float
    low: float
    high: float
    column: Any = None
    p_value: float = 1.0


def find_bias(built: Built, high: float, confidence: float, random_state: int) -> Bias | None:
    """Return evidence against selection at random, given best bin's rows and scores, or None.

    One kind of evidence is an estimate by subtype well above ``high``, the upper end of best bin's interval: labels may then be
    at random only within subtypes.  The other is a small version of :func:`pulib.check_scar`, on at most 400 likely positives
    of each kind and 200 columns.
    """
    X, positive, groups = built.X, built.positive, built.groups
    rare = built.method.is_rare(built.weights)  # most of the likely positives are then negatives
    if rare and built.method.binomial:  # estimates by subtype are then too high
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
    """Return the column (or None) in which labeled and unlabeled likely positives differ most, and the p-value."""
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
