"""Rows that a learner does not see while it trains, by which it knows when to stop."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.utils import check_random_state

from pulib._typing import RandomState


def hold_out(positive: np.ndarray, fraction: float, random_state: RandomState) -> np.ndarray:
    """Which rows to hold out: a share of the labeled ones and of the unlabeled ones, at least one and not all of either.

    None, with a warning, where a kind has a single row.
    An integer or no ``random_state`` is left as it is; of a generator a copy is drawn from, so that the learner's own
    numbers are those of a fit without rows held out.
    """
    rng = check_random_state(random_state)
    if rng is random_state:
        rng = np.random.RandomState()
        rng.set_state(random_state.get_state())
    held = np.zeros(len(positive), bool)
    for rows in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        if len(rows) < 2:
            warnings.warn(
                f"n_iter_no_change needs two labeled and two unlabeled rows, to hold one of each out; there are "
                f"{int(positive.sum())} and {int((~positive).sum())}. Training goes on to its end.",
                UserWarning,
                stacklevel=3,
            )
            return np.zeros(len(positive), bool)
        count = min(max(1, round(fraction * len(rows))), len(rows) - 1)
        held[rng.choice(rows, count, replace=False)] = True
    return held
