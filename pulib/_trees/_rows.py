"""The rows that trees are grown on, and how often each counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

MAX_ROWS = 2**31 - 1
#: Above it, floats do not represent every integer.
_LARGEST_EXACT_INTEGER = 2.0**53


class Rows(NamedTuple):
    """Row numbers (uint32) of labeled and of unlabeled rows, each repeated as often as it counts.

    ``weights``, ``groups`` and ``negative`` have one element for each row of X, or are None.  Bootstrap samples are drawn in
    proportion to ``weights`` (float64); in them, a labeled row represents ``labeled_counts`` times as much of the population
    as an unlabeled one.  ``groups`` (int) are drawn first, and then rows from these groups.  ``negative`` marks known
    negatives, which are among the unlabeled rows.
    """

    labeled: np.ndarray
    unlabeled: np.ndarray
    weights: np.ndarray | None = None
    labeled_counts: float = 1.0
    groups: np.ndarray | None = None
    negative: np.ndarray | None = None


def rows_of(
    positive: np.ndarray, weights: np.ndarray | None = None, *, bootstrap: bool = False, groups: np.ndarray | None = None
) -> Rows:
    """Return the rows with positive weight: once with ``bootstrap``, else repeated by weight.

    Without ``bootstrap``, weights have to be equal or whole numbers, whose common factor has no effect.

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
    """Mark known negatives, and return how many are outside the population sample.

    With one sample, known negatives belong to it, and a second copy of each is added to the unlabeled rows.  Counting them more
    often does not improve the ranking, and fully grown trees then predict fewer positives (``docs/inside.md``).

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
    drawn = len(unlabeled) / (len(known) + twice * mass_n)  # how much more often rows are drawn than their weights imply
    return rows._replace(unlabeled=unlabeled, labeled_counts=rows.labeled_counts * drawn, negative=negative), drawn * mass_n


def _drawn(weights: np.ndarray) -> np.ndarray:
    """Expected count of each row in a weighted bootstrap sample."""
    return weights * (len(weights) / weights.sum())


def _whole(weights: np.ndarray) -> np.ndarray:
    """Convert weights to integers (int64) without a common factor."""
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
