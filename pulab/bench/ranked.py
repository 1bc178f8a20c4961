"""The list of unlabeled rows, the most likely positives first, and how many positives to expect among the first k.

If labels are drawn at random among the positives, the share of labeled rows that score as high as the k-th unlabeled one is
also the share of the hidden positives that do.  Times the number of hidden positives that is how many the first k hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.isotonic import IsotonicRegression

from pulab.bench.judge import prior_draws
from pulab.bench.scoring import Scored
from pulab.bench.table import Rows
from pulib.priors import PriorEstimate

#: Draws of what is not known, the confidence of intervals, and lengths of the list at which both are looked at.
DRAWS, CONFIDENCE, LENGTHS = 4000, 0.95, 300
#: Lengths of the list that the report shows.
SHOWN = (10, 20, 50, 100, 200, 500, 1_000, 5_000)
#: Labeled rows of a stretch of the list that gets one probability: the root of their number, and at least so many.
LEAST_OF_A_STRETCH = 5


@dataclass(frozen=True, eq=False)
class Head:
    """How many positives the first k rows hold, for each k.

    Attributes
    ----------
    expected, low, high : float arrays
        The number, and an interval for the number that there really are.
    probability : float array
        Of the k-th row: how much it adds to the expected number.
    """

    expected: np.ndarray
    low: np.ndarray
    high: np.ndarray
    probability: np.ndarray


def ranked_rows(
    rows: Rows,
    scored: Mapping[str, Scored],
    methods: Sequence[str],
    labels: Mapping[str, str],
    rho: PriorEstimate,
    seed: int = 0,
) -> pd.DataFrame:
    """One line per unlabeled row, the first of which to look at first.

    Parameters
    ----------
    rows : Rows
    scored : mapping
    methods : sequence of str
        The recommended learner, and others whose scores are shown as well and break ties.
    labels : mapping
        Names of the columns of scores, by learner.
    rho : PriorEstimate
        Of the unlabeled rows.

    Returns
    -------
    DataFrame
        ``row`` (id), ``rank``, ``probability``, a column of scores per learner (the share of unlabeled rows that score lower),
        and ``expected_positives`` among the rows up to this one, with ``low`` and ``high``.
    """
    first = scored[methods[0]]
    others = np.mean([scored[name].place for name in methods], axis=0)
    order = rows.unlabeled[np.lexsort((others[rows.unlabeled], first.place[rows.unlabeled]))[::-1]]
    head = positives_in_head(rows, first.place, order, rho, seed)
    found = pd.DataFrame({"row": rows.ids[order], "rank": np.arange(1, len(order) + 1)})
    found["probability"] = head.probability
    for name in methods:
        found[f"score: {labels[name]}"] = scored[name].place[order]
    return found.assign(expected_positives=head.expected, low=head.low, high=head.high)


def positives_in_head(rows: Rows, place: np.ndarray, order: np.ndarray, rho: PriorEstimate, seed: int = 0) -> Head:
    """How many positives are among the first k of ``order``, unlabeled rows from the greatest place on.

    Three things are not known: how many positives are hidden (π), which share of the positives scores so high (there are only
    so many labeled rows to tell it by), and how many of the hidden ones happen to.  Each is drawn.  The expected number is the
    mean of the draws, with those of a greater π than estimated scaled down to it, since rare positives that overlap with
    negatives make the estimate too great: an uncertain π makes the number smaller.
    """
    n = len(order)
    labeled = np.sort(place[rows.positives])
    # ties count half, as they do in a place
    at = [np.searchsorted(labeled, place[order], side) for side in ("left", "right")]
    above = len(labeled) - 0.5 * (at[0] + at[1])
    rng = np.random.default_rng(seed)
    shares = prior_draws(rho, DRAWS, rng)
    positives, at_most = rng.binomial(n, shares), np.minimum(rho.prior / shares, 1.0)
    counted = len(labeled) if rows.groups is None else len(np.unique(rows.groups[rows.positives]))
    scale = counted / len(labeled)
    tail = 0.5 * (1.0 - CONFIDENCE)
    lengths = np.unique([*np.geomspace(1, n, LENGTHS).astype(int), *(k for k in SHOWN if k < n)])
    found = []
    for k in lengths:
        reached = above[k - 1]
        recall = rng.beta(scale * reached + 0.5, scale * (len(labeled) - reached) + 0.5, size=DRAWS)
        drawn = rng.binomial(positives, recall)
        found.append([np.minimum(at_most * drawn, k).mean(), *np.quantile(np.minimum(drawn, k), [tail, 1.0 - tail])])
    k = np.arange(1, n + 1)
    expected, low, high = (np.maximum.accumulate(np.interp(k, lengths, curve)) for curve in np.transpose(found))
    return Head(expected, low, np.minimum(high, k), slopes(expected, above))


def slopes(expected: np.ndarray, above: np.ndarray) -> np.ndarray:
    """How much each row adds to the expected number of positives, falling along the list.

    One slope for each stretch of the list that holds so many labeled rows that their number is no accident, with the slopes of
    stretches joined where they would rise, and lines between the middles of stretches.

    Parameters
    ----------
    expected : float array
        Positives among the first k rows.
    above : float array
        Labeled rows that score higher than the k-th row.

    Examples
    --------
    >>> k = np.arange(1, 101)
    >>> slopes(np.minimum(k, 20.0), np.minimum(k, 20.0))[[0, 19, 99]].round(1).tolist()
    [1.0, 0.9, 0.1]
    """
    n = len(expected)
    step = max(LEAST_OF_A_STRETCH, np.sqrt(above[-1]))
    ends = np.unique(np.append(np.searchsorted(above, np.arange(step, above[-1] + step, step), "right"), n).clip(1, n))
    widths = np.diff(ends, prepend=0)
    steps = np.diff(expected[ends - 1], prepend=0.0) / widths
    falling = IsotonicRegression(increasing=False, y_min=0.0, y_max=1.0).fit(ends, steps, widths).predict(ends)
    return np.interp(np.arange(1, n + 1), ends - 0.5 * (widths - 1), falling)
