"""The rows that trees are grown on, and how often each counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pulib._rows_seen import RowsSeen

MAX_ROWS = 2**31 - 1
#: Above it not every whole number is one of the floats.
_WHOLE = 2.0**53


class Rows(NamedTuple):
    """Row numbers of labeled and of unlabeled rows (uint32), each as often as it counts.

    ``weights`` (float64, one for each row of X, or None) are what bags are drawn by; in these a labeled row then stands for
    ``labeled_counts`` times as much of the population as an unlabeled one.  ``groups`` (int, one for each row of X, or None)
    are drawn first, and rows from the drawn ones.  ``seen`` is what a warm start has to know of them.
    """

    labeled: np.ndarray
    unlabeled: np.ndarray
    weights: np.ndarray | None = None
    labeled_counts: float = 1.0
    groups: np.ndarray | None = None
    seen: RowsSeen | None = None


def rows_of(
    positive: np.ndarray,
    weights: np.ndarray | None = None,
    *,
    bootstrap: bool = False,
    groups: np.ndarray | None = None,
) -> Rows:
    """Rows with a weight above 0: once where bags are drawn of them, else as often as the weight says.

    Parameters
    ----------
    positive : bool array of shape (n_samples,)
    weights : float64 array of shape (n_samples,), optional
        Whole numbers, apart from a common factor, unless bags are drawn.
    bootstrap : bool
    groups : int array of shape (n_samples,), optional

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.trees._rows import rows_of
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


def _whole(weights: np.ndarray) -> np.ndarray:
    """Weights as whole numbers without a common factor; int64."""
    broken = weights[(weights != np.floor(weights)) | (weights >= _WHOLE)]
    if broken.size:
        raise ValueError(
            f"sample_weight holds {broken[0]:g}, and trees count rows: weights have to be whole numbers. Take "
            "PUExtraTreesClassifier(bootstrap=True), whose trees draw rows by any weights, or round multiples of the weights."
        )
    times = weights.astype(np.int64)
    times //= np.gcd.reduce(times)
    if times.sum(dtype=np.float64) > MAX_ROWS:
        raise ValueError(
            f"sample_weight counts {times.sum(dtype=np.float64):g} rows; at most {MAX_ROWS} are supported. Take smaller whole "
            "numbers, or PUExtraTreesClassifier(bootstrap=True), whose trees draw rows by any weights."
        )
    return times
