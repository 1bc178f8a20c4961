"""The rows that trees are grown on, and how often each counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

MAX_ROWS = 2**31 - 1
#: Above it not every whole number is one of the floats.
_LARGEST_EXACT_INTEGER = 2.0**53


class Rows(NamedTuple):
    """Row numbers of labeled and of unlabeled rows (uint32), each as often as it counts.

    ``weights`` (float64, one for each row of X, or None) are what bags are drawn by; in these a labeled row then counts as
    ``labeled_counts`` times as much of the population as an unlabeled one.  ``groups`` (int, one for each row of X, or None)
    are drawn first, and rows from the drawn ones.  ``negative`` marks the rows of X that are known to be negative; they are
    among the unlabeled ones.
    """

    labeled: np.ndarray
    unlabeled: np.ndarray
    weights: np.ndarray | None = None
    labeled_counts: float = 1.0
    groups: np.ndarray | None = None
    negative: np.ndarray | None = None


def rows_of(
    positive: np.ndarray,
    weights: np.ndarray | None = None,
    *,
    bootstrap: bool = False,
    groups: np.ndarray | None = None,
) -> Rows:
    """Rows with a weight above 0: once where bags are drawn of them, else as often as the weight says.

    Unless bags are drawn, weights are whole numbers, apart from a common factor.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._trees._rows import rows_of
    >>> rows_of(np.array([True, False, False, False]), np.array([2.0, 4.0, 0.0, 2.0]))[:2]
    (array([0], dtype=uint32), array([1, 1, 3], dtype=uint32))
    """
    labeled, unlabeled = (np.flatnonzero(kind).astype(np.uint32) for kind in (positive, ~positive))
    if weights is None or weights.min() == weights.max():
        return Rows(labeled, unlabeled, groups=groups)
    if not bootstrap:
        times = _whole(weights)
        return Rows(np.repeat(labeled, times[labeled]), np.repeat(unlabeled, times[unlabeled]), weights)
    labeled, unlabeled = labeled[weights[labeled] > 0], unlabeled[weights[unlabeled] > 0]
    return Rows(labeled, unlabeled, weights, float(weights[labeled].mean() / weights[unlabeled].mean()), groups)


def with_negatives(rows: Rows, negative: np.ndarray, scenario: str, *, bootstrap: bool = False) -> tuple[Rows, float]:
    """Add each known negative as an unlabeled row, in addition to its role in a single sample.

    If there is a single sample, the unlabeled rows have a second copy of each.  The number returned is that of known negatives
    that stand for themselves and no sample of the population.  Counting them more often ranks no better, and makes fully grown
    trees call fewer rows positive (``docs/inside.md``).

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._trees._rows import rows_of, with_negatives
    >>> rows = rows_of(np.array([True, False, False, False]))
    >>> rows, extra = with_negatives(rows, np.array([False, False, False, True]), "one_sample")
    >>> rows.unlabeled, extra
    (array([1, 2, 3, 3], dtype=uint32), 1.0)
    """
    known = negative[rows.unlabeled]
    if not known.any():
        return rows._replace(negative=negative), 0.0
    if known.all():
        raise ValueError("all unlabeled rows have weight 0: with labeled rows and known negatives only, use risk='pn'.")
    by_weight = bootstrap and rows.weights is not None
    masses = _drawn(rows.weights[rows.unlabeled]) if by_weight else np.ones(len(known))  # type: ignore[index]
    mass_n, twice = float(masses[known].sum()), scenario == "one_sample"
    unlabeled = np.sort(np.concatenate([rows.unlabeled, rows.unlabeled[known]])) if twice else rows.unlabeled
    drawn = len(unlabeled) / (len(known) + twice * mass_n)  # times as many as their weights imply
    return rows._replace(unlabeled=unlabeled, labeled_counts=rows.labeled_counts * drawn, negative=negative), drawn * mass_n


def _drawn(weights: np.ndarray) -> np.ndarray:
    """How often rows are drawn that are drawn by weights, as many as there are."""
    return weights * (len(weights) / weights.sum())


def _whole(weights: np.ndarray) -> np.ndarray:
    """Weights as whole numbers without a common factor; int64."""
    broken = weights[(weights != np.floor(weights)) | (weights >= _LARGEST_EXACT_INTEGER)]
    if broken.size:
        raise ValueError(
            f"sample_weight contains {broken[0]:g}, and trees count rows: weights have to be whole numbers. Use "
            "PUExtraTreesClassifier(bootstrap=True), whose trees draw rows by any weights, or round multiples of the weights."
        )
    times = weights.astype(np.int64)
    times //= np.gcd.reduce(times)
    if times.sum(dtype=np.float64) > MAX_ROWS:
        raise ValueError(
            f"sample_weight counts {times.sum(dtype=np.float64):g} rows; at most {MAX_ROWS} are supported. Use smaller whole "
            "numbers, or PUExtraTreesClassifier(bootstrap=True), whose trees draw rows by any weights."
        )
    return times
