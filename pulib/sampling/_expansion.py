"""Expansion splits: training with labels of an earlier time, testing with labels of a later time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pulib.sampling._scheme import Scheme, Split

if TYPE_CHECKING:
    from pulib.datasets import Dataset

#: Maximum number of draws to find a split with both classes in both parts.
_MAX_DRAWS = 10_000


@dataclass(frozen=True, kw_only=True)
class Expansion(Scheme):
    """Train on a random part with the labels of the training time; test on the rest with those of a later time.

    ``dataset.y`` is the truth at training time.  A draw is repeated until the training part has both classes at training time,
    and the test part has both at the later time.

    Parameters
    ----------
    later : tuple
        Raw targets that are positive at the later time, including all that are positive at training time.
    train_share : float in (0, 1), default=2/3
        Share of training rows.
    stratify : bool, default=False
        Whether to draw the rows of each raw target separately.

    Raises
    ------
    ValueError
        If an option is out of range.

    References
    ----------
    Yu and Zhou, A framework for modeling positive class expansion with single snapshot (2010), section 5.1.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import Dataset
    >>> from pulib.sampling import Expansion
    >>> stage = np.repeat([0, 1, 2], [50, 10, 40])  # never, now, and later positive
    >>> data = Dataset("example", X=np.zeros((100, 1)), target=stage, y=(stage == 1).astype(np.int8))
    >>> split = Expansion(later=(1, 2)).draw(data, random_state=0)
    >>> print(f"{split.arrays['test_positive'].sum()} of {len(split.test)} test rows are positive later")
    20 of 33 test rows are positive later
    """

    name: ClassVar[str] = "expansion"

    later: tuple[Any, ...] = ()
    train_share: float = 2 / 3
    stratify: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.later, str):
            raise ValueError(f"later={self.later!r}; expected a sequence of targets, such as {(self.later,)}")
        later = tuple(target.item() if isinstance(target, np.generic) else target for target in self.later)
        object.__setattr__(self, "later", later)
        if not 0 < self.train_share < 1:
            raise ValueError(f"train_share={self.train_share}; expected a share in (0, 1)")

    def draw(self, dataset: Dataset, *, random_state: int, shared_seed: int | None = None, repeat: int = 0) -> Split:
        """Draw the rows of one repeat: see :meth:`Scheme.draw`.

        Returns
        -------
        Split
            ``labeled`` contains the positives of the training part, and ``unlabeled`` its negatives; ``prior`` is the share of
            ``unlabeled`` that turn positive later.  ``arrays["test_positive"]`` (int8) is the later truth of the test rows.

        Raises
        ------
        ValueError
            If ``later`` is empty, names a target that no row has or omits one that is positive at training time, if the class
            does not expand, or if no draw has both classes in both parts.
        """
        there = np.unique(dataset.target).tolist()
        if not self.later:
            raise ValueError(
                f"{dataset.name}, later=(): name the targets that are positive at the later time; there are {there}"
            )
        unknown = sorted(set(self.later) - set(there), key=repr)
        if unknown:
            raise ValueError(f"{dataset.name}, later={list(self.later)}: no row has the target {unknown}; there are {there}")
        after = np.isin(dataset.target, np.asarray(list(self.later), dtype=dataset.target.dtype))
        before = dataset.y == 1
        if np.any(before & ~after):
            lost = np.unique(dataset.target[before & ~after]).tolist()
            raise ValueError(
                f"{dataset.name}, later={list(self.later)}: targets {lost} are positive at training time but not later"
            )
        if np.array_equal(before, after):
            raise ValueError(f"{dataset.name}, later={list(self.later)}: the class does not expand; name more of its targets")
        rng = np.random.default_rng(random_state)
        groups = dataset.target if self.stratify else np.zeros(len(after), dtype=np.intp)
        for _ in range(_MAX_DRAWS):
            train = _draw(groups, self.train_share, rng)
            test = np.setdiff1d(np.arange(len(after)), train)
            if 0 < before[train].sum() < len(train) and 0 < after[test].sum() < len(test):
                break
        else:
            raise ValueError(
                f"{dataset.name}, train_share={self.train_share}: {_MAX_DRAWS} draws gave no split with both classes in "
                "both parts"
            )
        labeled, unlabeled = train[before[train]], train[~before[train]]
        return Split(
            labeled=labeled,
            unlabeled=unlabeled,
            test=test,
            prior=float(np.mean(after[unlabeled])),
            arrays={"test_positive": after[test].astype(np.int8)},
        )


def expansion_split(dataset: Dataset, *, random_state: int, **options: Any) -> Split:
    """Draw one split of :class:`pulib.sampling.Expansion`.

    Parameters
    ----------
    dataset : Dataset
    random_state
        See :meth:`pulib.sampling.Scheme.draw`.
    **options
        See :class:`pulib.sampling.Expansion`.

    Returns
    -------
    Split

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import Dataset, expansion_split
    >>> stage = np.repeat([0, 1, 2], [50, 10, 40])  # never, now, and later positive
    >>> data = Dataset("example", X=np.zeros((100, 1)), target=stage, y=(stage == 1).astype(np.int8))
    >>> split = expansion_split(data, later=(1, 2), random_state=0)
    >>> print(f"{len(split.labeled)} labeled, {len(split.unlabeled)} unlabeled rows, of which {split.prior:.0%} turn positive")
    5 labeled, 62 unlabeled rows, of which 40% turn positive
    """
    return Expansion(**options).draw(dataset, random_state=random_state)


def _draw(groups: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Draw a share of the rows of each group, in order."""
    parts = []
    for value in np.unique(groups):
        rows = np.flatnonzero(groups == value)
        parts.append(rng.permutation(rows)[: round(share * len(rows))])
    return np.sort(np.concatenate(parts))
