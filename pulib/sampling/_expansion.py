"""Expansion splits: labels of an earlier time to train on, labels of a later time to test on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pulib.datasets import Dataset
from pulib.sampling._split import Split

#: Draws until a split with both classes in both parts is given up.
_MAX_DRAWS = 10_000


def expansion_split(
    dataset: Dataset, *, random_state: int, later: Sequence[Any], train_share: float = 2 / 3, stratify: bool = False
) -> Split:
    """Train on a random part with the labels of the training time; test on the rest with those of a later time.

    ``dataset.y`` is the truth at training time.  If a draw leaves the training part without positives or negatives, or the test
    part without either at the later time, it is repeated: no method can learn or be scored on it.

    Parameters
    ----------
    dataset : Dataset
    random_state : int
    later : sequence
        Raw targets that are positive at the later time; those positive at training time have to be among them.
    train_share : float in (0, 1)
        Share of the rows to train on.
    stratify : bool
        Draw each raw target's rows separately.

    Returns
    -------
    Split
        ``labeled`` holds the training part's positives, ``unlabeled`` its negatives, some of which turn positive later:
        ``prior`` is their share.  In ``arrays``: ``test_positive`` (int8), the truth of the test rows at the later time.

    Raises
    ------
    ValueError
        If an argument is out of range, the class does not expand, or no draw has both classes in both parts.

    References
    ----------
    Yu and Zhou, A framework for modeling positive class expansion with single snapshot (2010), section 5.1.
    """
    if not 0 < train_share < 1:
        raise ValueError(f"train_share={train_share}: a share between 0 and 1, both excluded, is accepted")
    unknown = sorted(set(later) - set(np.unique(dataset.target).tolist()), key=repr)
    if unknown:
        there = np.unique(dataset.target).tolist()
        raise ValueError(f"{dataset.name}, later={list(later)}: no row has the target {unknown}; there are {there}")
    after = np.isin(dataset.target, np.asarray(list(later), dtype=dataset.target.dtype))
    before = dataset.y == 1
    if np.any(before & ~after):
        lost = np.unique(dataset.target[before & ~after]).tolist()
        raise ValueError(f"{dataset.name}, later={list(later)}: targets {lost} are positive at training time but not later")
    if np.array_equal(before, after):
        raise ValueError(f"{dataset.name}, later={list(later)}: the class does not expand; name more of its targets")
    rng = np.random.default_rng(random_state)
    groups = dataset.target if stratify else np.zeros(len(after), dtype=np.intp)
    for _ in range(_MAX_DRAWS):
        train = _draw(groups, train_share, rng)
        test = np.setdiff1d(np.arange(len(after)), train)
        if 0 < before[train].sum() < len(train) and 0 < after[test].sum() < len(test):
            break
    else:
        raise ValueError(
            f"{dataset.name}, train_share={train_share}: {_MAX_DRAWS} draws gave no split with both classes in both parts"
        )
    labeled, unlabeled = train[before[train]], train[~before[train]]
    return Split(
        labeled=labeled,
        unlabeled=unlabeled,
        test=test,
        prior=float(np.mean(after[unlabeled])),
        arrays={"test_positive": after[test].astype(np.int8)},
    )


def _draw(groups: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """A share of the rows of each group, in order."""
    parts = []
    for value in np.unique(groups):
        rows = np.flatnonzero(groups == value)
        parts.append(rng.permutation(rows)[: round(share * len(rows))])
    return np.sort(np.concatenate(parts))
