"""Warm starts need the rows of the last fit; as in scikit-learn, their numbers are checked."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class RowsSeen(NamedTuple):
    """Numbers of rows in a fit."""

    n_rows: int
    n_labeled: int


def rows_seen(positive: np.ndarray) -> RowsSeen:
    """Count the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._warm_start import rows_seen
    >>> rows_seen(np.array([True, False, False]))
    RowsSeen(n_rows=3, n_labeled=1)
    """
    return RowsSeen(len(positive), int(np.count_nonzero(positive)))


def check_same_rows(before: RowsSeen, now: RowsSeen, what: str) -> None:
    """Raise an error if numbers of rows changed since ``what`` (such as "5 trees") was fitted."""
    if before != now:
        raise ValueError(
            f"{now.n_rows} rows, {now.n_labeled} of them labeled, but the existing {what} were fitted to {before.n_rows} rows, "
            f"{before.n_labeled} of them labeled; a warm start, and every part of a forest, needs the same rows, labels, "
            "weights and groups. To start over, clone the estimator."
        )
