"""Base class of split schemes: fields are options, and ``draw`` draws the rows of one repeat.

Schemes import slow modules only in ``draw``, so that reading their options is fast.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from numbers import Integral
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
        Row numbers in the data set.  In some protocols, a row may be both labeled and unlabeled.
    prior : float
        True share of positives in the population that the unlabeled rows represent.
    arrays : dict of arrays
        Further arrays of the protocol, such as generated rows, propensities or validation rows.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import Dataset
    >>> from pulib import case_control_split
    >>> data = Dataset("example", X=np.arange(100.0)[:, None], target=np.arange(100), y=(np.arange(100) < 40).astype(np.int8))
    >>> split = case_control_split(data, n_labeled=10, random_state=0)
    >>> print(f"{len(split.labeled)} labeled rows out of {len(split.unlabeled)} to train on, π = {split.prior:.2f}")
    10 labeled rows out of 80 to train on, π = 0.40
    """

    labeled: np.ndarray
    unlabeled: np.ndarray
    test: np.ndarray
    prior: float
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Scheme(ABC):
    """Base class of split schemes; the fields of a subclass are its options, checked at construction.

    Attributes
    ----------
    name : str
        Name in configurations, and key in :data:`pulib.sampling.SCHEMES`.
    version : int
        Raise it with any change that gives other splits for the same options and seeds.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from typing import ClassVar
    >>> import numpy as np
    >>> from pulib import Dataset
    >>> from pulib.sampling import Scheme, Split
    >>> @dataclass(frozen=True, kw_only=True)
    ... class FirstRows(Scheme):
    ...     name: ClassVar[str] = "first_rows"
    ...     n_labeled: int = 2
    ...     def draw(self, dataset, *, random_state, shared_seed=None, repeat=0):
    ...         positives = np.flatnonzero(dataset.y == 1)
    ...         return Split(positives[: self.n_labeled], positives[self.n_labeled :], np.flatnonzero(dataset.y == 0), 1.0)
    >>> y = np.array([1, 1, 1, 0], dtype=np.int8)
    >>> FirstRows().draw(Dataset("example", X=np.zeros((4, 1)), target=y, y=y), random_state=0).labeled
    array([0, 1])
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
            Seed of the repeat.
        shared_seed : int, optional
            Seed for what all repeats share.  None means ``random_state``, unless the scheme says otherwise.
        repeat : int
            Number of the repeat, for schemes with related repeats, such as the folds of one partition.

        Returns
        -------
        Split

        Raises
        ------
        ValueError
            If the data set has too few positives or negatives for these options.
        """


def check_counts(scheme: Scheme, *names: str, least: int = 1) -> None:
    """Raise an error if one of these options is not a whole number from ``least`` on; None must be the default."""
    for name in names:
        value = getattr(scheme, name)
        if not (isinstance(value, Integral) and int(value) >= least) and (value is not None or getattr(type(scheme), name)):
            raise ValueError(f"{name}={value!r}; expected a whole number of at least {least}")
