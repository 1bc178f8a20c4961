"""Case-control splits with negatives for PN methods, to compare PU and PN methods on the same positives."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

import numpy as np

from pulib.sampling._scheme import Scheme, Split

if TYPE_CHECKING:
    from pulib.datasets import Dataset

Test = Literal["given", "last", "random"]
_TEST, _LABELED, _NEGATIVES, _UNLABELED = range(4)
#: Tolerated rounding error of a share of a count: 0.29 * 100 is slightly less than 29.
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class AdaPUSplit(Scheme):
    """Draw labeled positives from the training rows, use these rows as unlabeled, and draw negatives for PN methods.

    A PN method gets the labeled positives and n_n = (π_n / 2π_p)² n_p negatives.  With these numbers, PU learning can be better
    than PN learning as U grows (Niu et al., 2016).

    Parameters
    ----------
    n_labeled : int, or float in (0, 1), default=1000
        Number of labeled positives, n_p, or their share of the training positives.
    n_unlabeled : int, float in (0, 1) or None, default=None
        Number or share of the training rows that are unlabeled; None for all.
    test : {"given", "last", "random"}, default="given"
        The publisher's test rows, the last rows of the file, or rows redrawn in each repeat with an unchanged share of
        positives.
    n_test : int, or float in (0, 1), default=0.2
        Number of test rows, or their share of all rows, unless ``test="given"``.

    Raises
    ------
    ValueError
        If ``test`` is none of these.

    References
    ----------
    Zhao et al., A boosting algorithm for positive-unlabeled learning, section 5.1.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import Dataset
    >>> from pulib.sampling import AdaPUSplit
    >>> data = Dataset("example", X=np.arange(100.0)[:, None], target=np.arange(100), y=(np.arange(100) < 40).astype(np.int8))
    >>> split = AdaPUSplit(n_labeled=10, test="random").draw(data, random_state=0)
    >>> print(f"{len(split.labeled)} labeled; {len(split.arrays['negatives'])} negatives for PN methods")
    10 labeled; 6 negatives for PN methods
    """

    name: ClassVar[str] = "adapu"

    n_labeled: int | float = 1000
    n_unlabeled: int | float | None = None
    test: Test = "given"
    n_test: int | float = 0.2

    def __post_init__(self) -> None:
        if self.test not in get_args(Test):
            raise ValueError(f"test={self.test!r}; expected one of {get_args(Test)}")

    def draw(self, dataset: Dataset, *, random_state: int, shared_seed: int | None = None, repeat: int = 0) -> Split:
        """Draw the rows of one repeat: see :meth:`Scheme.draw`.

        Returns
        -------
        Split
            ``prior`` is the share of positives among the training rows; ``arrays["negatives"]`` are row numbers.

        Raises
        ------
        ValueError
            If a number or share of rows is out of range, or the training rows contain too few positives or negatives.
        """
        train, test_rows = _train_and_test(dataset, self.test, self.n_test, np.random.default_rng([random_state, _TEST]))
        truth = dataset.y[train]
        positives, negatives = train[truth == 1], train[truth == 0]
        n_p = _count(self.n_labeled, len(positives), "n_labeled", f"{dataset.name}: the positives among the training rows")
        prior = float(np.mean(truth))
        n_n = max(1, round(((1 - prior) / (2 * prior)) ** 2 * n_p))
        if n_n > len(negatives):
            raise ValueError(
                f"{dataset.name}: n_p={n_p} needs n_n = (π_n / 2π_p)² n_p = {n_n} negatives; "
                f"there are {len(negatives)} to train on"
            )
        labeled = np.random.default_rng([random_state, _LABELED]).choice(positives, n_p, replace=False)
        drawn = np.random.default_rng([random_state, _NEGATIVES]).choice(negatives, n_n, replace=False)
        unlabeled = train
        if self.n_unlabeled is not None:
            n_u = _count(self.n_unlabeled, len(train), "n_unlabeled", f"{dataset.name}: its training rows")
            unlabeled = np.sort(np.random.default_rng([random_state, _UNLABELED]).choice(train, n_u, replace=False))
        negatives = {"negatives": np.sort(drawn)}
        return Split(labeled=np.sort(labeled), unlabeled=unlabeled, test=test_rows, prior=prior, arrays=negatives)


def _train_and_test(
    dataset: Dataset, test: str, n_test: int | float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    rows = np.arange(len(dataset.y))
    if test == "given":
        if dataset.n_train is None:
            raise ValueError(f"{dataset.name}: test='given', but its publisher gives no test rows; expected 'last' or 'random'")
        return rows[: dataset.n_train], rows[dataset.n_train :]
    count = _count(n_test, len(rows) - 1, "n_test", f"{dataset.name}: its rows less one", of=len(rows))
    if test == "last":
        return rows[:-count], rows[-count:]
    positives = rng.permutation(np.flatnonzero(dataset.y == 1))
    negatives = rng.permutation(np.flatnonzero(dataset.y == 0))
    n_positive = round(count * dataset.prior)
    chosen = np.sort(np.concatenate([positives[:n_positive], negatives[: count - n_positive]]))
    return np.setdiff1d(rows, chosen, assume_unique=True), chosen


def _count(value: int | float, most: int, name: str, what: str, of: int | None = None) -> int:
    """Return a number of rows, given as such or as a share of ``of`` (default: ``most``), rounded down."""
    if isinstance(value, Integral) and 1 <= value <= most:
        return int(value)
    if isinstance(value, Real) and not isinstance(value, Integral) and 0 < value < 1 and most >= 1:
        return min(max(1, int(value * (of or most) + _ROUNDING)), most)
    raise ValueError(f"{name}={value}; expected 1 to {most} ({what}), or a share between 0 and 1")
