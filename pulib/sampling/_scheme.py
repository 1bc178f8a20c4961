"""What every split scheme is: its options, which are fields, and how it draws the rows of one repeat.

A scheme imports what it draws with when it draws, so that its options are known at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

if TYPE_CHECKING:
    from pulib.datasets import Dataset


@dataclass(frozen=True)
class Split:
    """Rows of a data set for one repeat.

    Attributes
    ----------
    labeled, unlabeled, test : int arrays
        Row numbers in the data set; a row may be both labeled and unlabeled if the protocol says so.
    prior : float
        The true share of positives in the population that the unlabeled rows represent.
    arrays : dict of arrays
        Whatever else the protocol needs: generated rows, true labels of a fixed subset, folds.
    """

    labeled: np.ndarray
    unlabeled: np.ndarray
    test: np.ndarray
    prior: float
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Scheme(ABC):
    """A way to split data sets; the fields of a subclass are its options, checked when an instance is made.

    Attributes
    ----------
    name : str
        What configurations call the scheme; its key in :data:`pulib.sampling.SCHEMES`.
    version : int
        Raised with a change that gives other splits for the same options and seeds.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1

    def __new__(cls, *args: Any, **options: Any) -> Self:
        known = [option.name for option in fields(cls)]
        if args:
            raise TypeError(f"{cls.__name__} takes its options by name: {', '.join(known)}")
        if unknown := sorted(options.keys() - set(known)):
            raise TypeError(f"{cls.__name__} takes no option {unknown[0]!r}; expected some of {known}")
        return super().__new__(cls)

    @abstractmethod
    def draw(self, dataset: Dataset, *, random_state: int, shared_seed: int | None = None, repeat: int = 0) -> Split:
        """Draw the rows of one repeat.

        Parameters
        ----------
        dataset : Dataset
        random_state : int
            The repeat's own seed.
        shared_seed : int, optional
            The same for all repeats, for what they share.  None: ``random_state``, unless the scheme says otherwise.
        repeat : int
            The repeat's number, for a scheme whose repeats belong together, as the folds of one partition do.

        Returns
        -------
        Split

        Raises
        ------
        ValueError
            If the data set has too few rows of a kind for these options.
        """


def check_counts(scheme: Scheme, *names: str, least: int = 1) -> None:
    """Raise an error for a number of rows below the least one; None means that a number is not given."""
    for name in names:
        value = getattr(scheme, name)
        if value is not None and not value >= least:
            raise ValueError(f"{name}={value}; expected at least {least}")
