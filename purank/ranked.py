"""Rank unlabeled rows, most likely positives first, and estimate the number of positives among the first k.

If labels are drawn at random among the positives, the share of labeled rows that score as high as the k-th unlabeled one is
also the share of the hidden positives that do.  Times the number of hidden positives that is how many the first k hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from sklearn.isotonic import IsotonicRegression

from pulib.priors import PriorEstimate
from purank.judge import prior_draws
from purank.scoring import SEED, Scored
from purank.table import Rows

#: Draws of what is not known, the confidence of intervals, and lengths of the list at which both are looked at.
DRAWS, CONFIDENCE, LENGTHS = 4000, 0.95, 300
#: Shares of the list that somebody may look at.
HEADS = (0.01, 0.05, 0.1)


def ranked_rows(
    rows: Rows, scored: Mapping[str, Scored], methods: Sequence[str], labels: Mapping[str, str], rho: PriorEstimate
) -> pd.DataFrame:
    """Return one line per unlabeled row, in the order in which to inspect them.

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
    head = positives_in_head(rows, first.place, order, rho)
    found = pd.DataFrame({"row": rows.ids[order], "rank": np.arange(1, len(order) + 1)})
    found["probability"] = head.probability
    for name in methods:
        found[f"score: {labels[name]}"] = scored[name].place[order]
    return found.assign(expected_positives=head.expected, low=head.low, high=head.high)


def positives_in_head(rows: Rows, place: np.ndarray, order: np.ndarray, rho: PriorEstimate) -> pd.DataFrame:
    """How many positives are among the first k of ``order``, unlabeled rows from the greatest place on, for each k.

    Three things are not known: how many positives are hidden (π), which share of the positives scores so high (there are only
    so many labeled rows to tell it by), and how many of the hidden ones happen to.  Each is drawn for the interval.  The
    expected number is the sum of the probabilities (:func:`expected_in_head`), with π at most its estimate: rare positives
    that overlap with negatives make the estimate too great.
    """
    n = len(order)
    labeled = np.sort(place[rows.positives])
    # ties count half, as they do in a place
    at = [np.searchsorted(labeled, place[order], side) for side in ("left", "right")]
    above = len(labeled) - 0.5 * (at[0] + at[1])
    rng = np.random.default_rng(SEED)
    shares = prior_draws(rho, DRAWS, rng)
    positives = rng.binomial(n, shares)
    scale = rows.labeled_weight
    tail = 0.5 * (1.0 - CONFIDENCE)
    lengths = np.unique([*np.geomspace(1, n, LENGTHS).astype(int), *np.ceil(np.multiply(HEADS, n)).astype(int)])
    found = []
    for k in lengths:
        reached = above[k - 1]
        recall = rng.beta(scale * reached + 0.5, scale * (len(labeled) - reached) + 0.5, size=DRAWS)
        found.append(np.quantile(np.minimum(rng.binomial(positives, recall), k), [tail, 1.0 - tail]))
    k = np.arange(1, n + 1)
    low, high = (np.maximum.accumulate(np.interp(k, lengths, curve)) for curve in np.transpose(found))
    recall = (len(labeled) - at[0]) / (len(labeled) + 1)  # what so many of the greatest labeled places reach, on average
    expected = expected_in_head(recall, n * np.minimum(shares, rho.prior).mean())
    # rounding apart, it falls by itself
    probability = np.minimum.accumulate(np.diff(expected, prepend=0.0)).clip(0.0, 1.0)
    ends = {"low": np.minimum(low, expected), "high": np.maximum(np.minimum(high, k), expected)}
    return pd.DataFrame({"probability": probability, "expected": expected, **ends})


def expected_in_head(recall: np.ndarray, hidden: float) -> np.ndarray:
    """Return the expected number of positives among the first k rows, for each k; each row adds its probability.

    The rows from one labeled row to the next but one share the positives that these represent, stretches are joined where
    probabilities would rise, and no k rows hold more than k.  Within the first stretch, probabilities fall too: the curve is a
    power of k there, between 1 and the power that passes through the ends of the first two stretches, and the nearer to 1 the
    more labeled rows the stretch holds.  (Simulated with an ideal scorer, 20 to 300 labels and rare to frequent positives, the
    first ten rows hold 0.95 to 1.25 times the expected number; with a straight line, up to 1.7 times.)  A minimum of concave
    curves is concave, so probabilities fall along the list, and add up to ``hidden``.

    Parameters
    ----------
    recall : float array
        The share of positives that score as high as the k-th row, or higher, as labeled rows tell it.
    hidden : float
        Positives in the whole list.

    Examples
    --------
    >>> k = np.arange(1, 101)
    >>> expected_in_head(np.minimum(k / 20, 1.0), hidden=10.0)[[9, 19, 99]].round(1).tolist()
    [5.5, 9.0, 10.0]
    """
    n = len(recall)
    ends = np.append((np.flatnonzero(np.diff(recall) > 0) + 1)[1::2], n)  # single labeled rows make the first rows too sure
    reached = np.append(recall[ends[:-1] - 1], 1.0)
    widths = np.diff(ends, prepend=0)
    falling = IsotonicRegression(increasing=False).fit(ends, np.diff(reached, prepend=0.0) / widths, widths).predict(ends)
    k, heights = np.arange(1, n + 1), np.cumsum(falling * widths)
    curve = np.interp(k, np.append(0, ends), np.append(0.0, heights))
    turns = np.append(np.flatnonzero(np.diff(falling) < -1e-9 * falling[0]), len(ends) - 1)[:2]  # where the first two end
    if len(turns) == 2 and heights[turns[0]] > 0:
        (width, wider), (height, higher) = ends[turns], heights[turns]
        through = min(np.log(higher / height) / np.log(wider / width), 1.0)
        curve[:width] = height * (k[:width] / width) ** (1.0 + 2.0 * (through - 1.0) / (turns[0] + 3.0))
    return np.minimum(hidden * curve, k)
