"""Rows held out of training to decide when to stop."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from pulib._typing import RandomState
from pulib._warnings import issue_warning


def hold_out(positive: np.ndarray, fraction: float, random_state: RandomState, groups: np.ndarray | None = None) -> np.ndarray:
    """Draw rows to hold out: a share of the labeled and of the unlabeled rows, at least one but not all of each kind.

    With ``groups``, whole groups are held out until both kinds reach that share.  If this is impossible, warn and hold out no
    row.  A generator as ``random_state`` is copied, so that the learner's random numbers do not depend on held-out rows.
    """
    rng = check_random_state(random_state)
    if rng is random_state:
        rng = np.random.RandomState()
        rng.set_state(random_state.get_state())
    held = np.zeros(len(positive), bool)
    if groups is not None:
        held = _hold_out_groups(positive, fraction, rng, groups)
        if any(not kind.any() or kind.all() for kind in (held[positive], held[~positive])):
            issue_warning(
                "No choice of whole groups to hold out leaves labeled and unlabeled rows on both sides: training continues to "
                "the end, on all rows.",
                category=UserWarning,
            )
            return np.zeros(len(positive), bool)
        return held
    for rows in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        if len(rows) < 2:
            issue_warning(
                f"Holding rows out needs two labeled and two unlabeled rows; there are {int(positive.sum())} and "
                f"{int((~positive).sum())}: training continues to the end, on all rows.",
                category=UserWarning,
            )
            return np.zeros(len(positive), bool)
        count = min(max(1, round(fraction * len(rows))), len(rows) - 1)
        held[rng.choice(rows, count, replace=False)] = True
    return held


def _hold_out_groups(positive: np.ndarray, fraction: float, rng: np.random.RandomState, groups: np.ndarray) -> np.ndarray:
    """Take groups in random order, those with labeled rows first, until both kinds have their share."""
    order = rng.permutation(int(groups.max()) + 1)
    sizes = np.array([np.bincount(groups[kind], minlength=len(order)) for kind in (positive, ~positive)])
    wanted = np.maximum(1, np.round(fraction * sizes.sum(axis=1)))
    taken, held = np.zeros(len(order), bool), np.zeros(2, np.int64)
    for kind in range(2):
        for group in order[sizes[kind, order] > 0]:
            if held[kind] >= wanted[kind]:
                break
            after = held + sizes[:, group]
            if not taken[group] and (after < sizes.sum(axis=1)).all():  # leaves some rows of each kind
                taken[group], held = True, after
    return taken[groups]
