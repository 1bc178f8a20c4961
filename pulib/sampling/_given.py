"""Splits of data that come with PU labels: no label is hidden, and some rows are held out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pulib.sampling._scheme import Scheme, Split

if TYPE_CHECKING:
    from pulib.datasets import Dataset

UNLABELED, LABELED, TEST_POSITIVE, TEST_NEGATIVE, KNOWN_NEGATIVE = range(5)


@dataclass(frozen=True, kw_only=True)
class Given(Scheme):
    """Use the given labels, and hold out a share of the labeled and of the unlabeled rows, redrawn in each repeat.

    Targets are 0 for unlabeled rows, 1 for labeled rows, 2 for positive test rows, 3 for negative test rows, and 4 for other
    known negatives, as returned by ``purank.load_pu_table``.

    Parameters
    ----------
    held_out : float in (0, 1), default=0.3
        Share of the labeled and of the unlabeled rows.

    Raises
    ------
    ValueError
        If the share is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import Dataset
    >>> from pulib.sampling import Given
    >>> target = np.array([1, 1, 0, 0, 0, 2, 3])
    >>> own = Dataset("own", X=np.zeros((7, 1)), target=target, y=np.isin(target, [1, 2]).astype(np.int8))
    >>> split = Given().draw(own, random_state=0)
    >>> len(split.labeled), len(split.unlabeled), split.test
    (1, 2, array([5, 6]))
    """

    name: ClassVar[str] = "given"

    held_out: float = 0.3

    def __post_init__(self) -> None:
        if not 0 < self.held_out < 1:
            raise ValueError(f"held_out={self.held_out}: a share between 0 and 1, both excluded, is accepted")

    def draw(self, dataset: Dataset, *, random_state: int, shared_seed: int | None = None, repeat: int = 0) -> Split:
        """Draw the rows of one repeat: see :meth:`Scheme.draw`.

        Returns
        -------
        Split
            ``test`` contains the test rows, the same in every repeat; ``prior`` is NaN because it is unknown.  ``arrays``
            contains ``held_out_labeled`` and ``held_out_unlabeled``, which are not among ``labeled`` and ``unlabeled``, and
            ``known_negative``, if there are any.

        Raises
        ------
        ValueError
            If there are fewer than two labeled or two unlabeled rows, one for training and one to hold out.
        """
        rng = np.random.default_rng(random_state)
        parts = {}
        for name, code in (("labeled", LABELED), ("unlabeled", UNLABELED)):
            rows = rng.permutation(np.flatnonzero(dataset.target == code))
            if len(rows) < 2:
                raise ValueError(f"{dataset.name} has {len(rows)} {name} rows; at least 2 are needed, of which one is held out")
            cut = min(max(1, round(self.held_out * len(rows))), len(rows) - 1)
            parts[name], parts[f"held_out_{name}"] = np.sort(rows[cut:]), np.sort(rows[:cut])
        test = np.flatnonzero((dataset.target == TEST_POSITIVE) | (dataset.target == TEST_NEGATIVE))
        arrays = {name: rows for name, rows in parts.items() if name.startswith("held_out")}
        if (negative := np.flatnonzero(dataset.target == KNOWN_NEGATIVE)).size:
            arrays["known_negative"] = negative
        return Split(parts["labeled"], parts["unlabeled"], test, float("nan"), arrays)


def given_split(dataset: Dataset, *, random_state: int, **options: Any) -> Split:
    """Draw one split of :class:`pulib.sampling.Given`.

    Parameters
    ----------
    dataset : Dataset
    random_state
        See :meth:`pulib.sampling.Scheme.draw`.
    **options
        See :class:`pulib.sampling.Given`.

    Returns
    -------
    Split

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import Dataset
    >>> from pulib.sampling import given_split
    >>> target = np.array([1, 1, 0, 0, 0, 2, 3])  # two labeled rows, three unlabeled ones, two for testing
    >>> own = Dataset("own", X=np.zeros((7, 1)), target=target, y=np.isin(target, [1, 2]).astype(np.int8))
    >>> split = given_split(own, random_state=0)
    >>> {name: rows.tolist() for name, rows in split.arrays.items()}
    {'held_out_labeled': [0], 'held_out_unlabeled': [4]}
    """
    return Given(**options).draw(dataset, random_state=random_state)
