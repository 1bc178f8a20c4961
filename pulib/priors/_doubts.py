"""What rows say against an estimate: families without groups, columns that give labels away, labels that are not at random."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pulib._repeats import doubt_of_repeats
from pulib._weights import ones_for_none, thinned
from pulib.exceptions import PUWarning
from pulib.priors._build import Built
from pulib.priors._columns import comparable, doubt_of_columns
from pulib.priors._interval import percentiles
from pulib.priors._rank_test import compare_ranks
from pulib.priors._subtypes import Subtypes, cells_of

#: Of the check of selection at random that every estimate makes: p-value, permutations, rows of either kind, and columns.
_ALPHA, _PERMUTATIONS, _MOST_ROWS, _MOST_COLUMNS = 0.002, 999, 400, 200
#: Of the estimate by subtype: resamples, and how far it lies beyond best bin's interval where labels are not at random.
_RESAMPLES, _BEYOND = 50, 1.15
#: Fewer likely positives of either kind are not compared.
_LEAST_ROWS = 10


def doubts_of_rows(
    X: Any, positive: np.ndarray, groups: np.ndarray | None, what: str, remedy: str = "groups=, one value per row"
) -> list[str]:
    """Texts of warnings: of rows that look repeated where no groups are given, and of a column that separates."""
    repeats = "" if groups is not None else doubt_of_repeats(X, positive, what, remedy=remedy)
    return [doubt for doubt in (repeats, doubt_of_columns(X, positive)) if doubt]


def warn_of_rows(X: Any, positive: np.ndarray, groups: np.ndarray | None, what: str, stacklevel: int = 3) -> None:
    doubts = doubts_of_rows(X, positive, groups, what)
    if doubts:
        warnings.warn(" ".join(doubts), PUWarning, stacklevel=stacklevel)


class Bias(NamedTuple):
    """Labels that do not look selected at random: the share of positives by subtype, with an interval; where it shows by ranks,
    the column that differs, and the p-value."""

    share: float
    low: float
    high: float
    column: Any = None
    p_value: float = 1.0

    def doubt(self, as_prior: Callable[[float], float]) -> str:
        """The text of the warning, with shares as priors."""
        share, low, high = map(as_prior, (self.share, self.low, self.high))
        how = f"summed over subtypes of the labeled rows, π is {share:.3g} ({low:.3g} to {high:.3g})"
        if self.column is not None:
            how = (
                f"in column {self.column!r} labeled rows differ from unlabeled rows that look positive (p = "
                f"{self.p_value:.2g}); {how}"
            )
        return (
            f"Labels do not look selected at random: {how}. If some kinds of positives are labeled more often than others, the "
            "estimate is too small; the interval is therefore extended to the estimate over subtypes. Use "
            "method='by_subtype', pass prior=, or fit BiasedPUClassifier; see also check_scar."
        )


def find_bias(built: Built, high: float, confidence: float, random_state: int) -> Bias | None:
    """What speaks against selection at random; None where nothing does.

    The estimate by subtype, if it lies well above best bin's interval: then labels may be at random within subtypes only.  And
    :func:`pulib.check_scar` in small: on 400 likely positives of either kind and 200 columns at most.

    Parameters
    ----------
    built : Built
        Best bin.
    high : float
        The upper end of best bin's interval of the share of positives.
    confidence : float
    random_state : int
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
