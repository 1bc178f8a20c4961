"""Mixtures: unlabeled rows with given numbers of positives and negatives, which are also the test rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pulib.sampling._scheme import Scheme, Split, check_counts

if TYPE_CHECKING:
    from pulib.datasets import Dataset

_CLASS, _POSITIVE, _NEGATIVE = range(3)


@dataclass(frozen=True, kw_only=True)
class Mixture(Scheme):
    """Draw labeled positives, and unlabeled rows with a given number of each class; leave out all other rows.

    The unlabeled rows are also the test rows, for studies that ask which of them are positive.

    Parameters
    ----------
    n_labeled : int, default=100
    n_positive, n_negative : int, default=100
        Numbers of positives and negatives among the unlabeled rows.
    either_class : bool, default=False
        Whether each repeat chooses the positive class at random.  If the classes are swapped, ``arrays["y"]`` contains the
        labels.

    Raises
    ------
    ValueError
        If a number is below 1.

    References
    ----------
    Ivanov, DEDPUL: Difference-of-estimated-densities-based positive-unlabeled learning (ICMLA 2020), section 5.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.datasets import Dataset
    >>> from pulib.sampling import Mixture
    >>> y = np.repeat(np.array([1, 0], dtype=np.int8), [40, 60])
    >>> data = Dataset("example", X=np.zeros((100, 1)), target=y, y=y)
    >>> split = Mixture(n_labeled=10, n_positive=6, n_negative=18).draw(data, random_state=0)
    >>> len(split.labeled), len(split.unlabeled), split.prior, bool(np.all(split.test == split.unlabeled))
    (10, 24, 0.25, True)
    """

    name: ClassVar[str] = "mixture"

    n_labeled: int = 100
    n_positive: int = 100
    n_negative: int = 100
    either_class: bool = False

    def __post_init__(self) -> None:
        check_counts(self, "n_labeled", "n_positive", "n_negative")

    def draw(self, dataset: Dataset, *, random_state: int, shared_seed: int | None = None, repeat: int = 0) -> Split:
        """Draw the rows of one repeat: see :meth:`Scheme.draw`.

        Returns
        -------
        Split
            ``prior`` is the share of positives among the unlabeled rows, which are also the test rows.

        Raises
        ------
        ValueError
            If a class has too few rows.
        """
        other = self.either_class and bool(np.random.default_rng([random_state, _CLASS]).integers(2))
        y = (1 - dataset.y if other else dataset.y).astype(np.int8)
        wanted = {1: ("positives", self.n_labeled + self.n_positive), 0: ("negatives", self.n_negative)}
        drawn = {}
        for label, use in ((1, _POSITIVE), (0, _NEGATIVE)):
            rows = np.flatnonzero(y == label)
            name, n = wanted[label]
            if len(rows) < n:
                both = ", labeled and unlabeled ones together" if label else ""
                raise ValueError(f"{dataset.name} has {len(rows)} {name}; {n} are needed{both}")
            drawn[label] = np.random.default_rng([random_state, use]).permutation(rows)[:n]
        labeled, positive = np.split(drawn[1], [self.n_labeled])
        unlabeled = np.sort(np.concatenate([positive, drawn[0]]))
        prior = self.n_positive / (self.n_positive + self.n_negative)
        return Split(np.sort(labeled), unlabeled, unlabeled, prior, {"y": y} if other else {})
