"""Case-control splits: some positives are labeled, and the unlabeled rows are a sample of the whole population."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from pulib.sampling._scheme import Scheme, Split, check_counts

if TYPE_CHECKING:
    from pulib.datasets import Dataset

_TEST, _LABELED = range(2)

Unlabeled = Literal["all", "rest"]
Prior = Literal["train_and_test", "train", "unlabeled"]


@dataclass(frozen=True, kw_only=True)
class CaseControl(Scheme):
    """Draw labeled positives from the training rows; use all training rows, or the rest of them, as unlabeled.

    Test rows are the publisher's, if any.  Otherwise the shared seed draws them, the same in all repeats.

    Parameters
    ----------
    n_labeled : int, default=1000
        Number of labeled positives, drawn without replacement.
    unlabeled : {"all", "rest"}, default="all"
        "all" uses every training row as unlabeled, so that labeled rows occur twice; "rest" leaves the labeled rows out.
    prior : {"train_and_test", "train", "unlabeled"} or float in (0, 1), default="train_and_test"
        Class prior given to methods: the share of positives in the data set, its training rows, or the unlabeled rows, or a
        number.
    test_fraction : float in (0, 1), default=0.2
        Share of test rows if the publisher provides no test set; rounded up to a whole row.
    redraw_labeled : bool, default=True
        Whether to draw new labeled positives in each repeat, rather than from the shared seed.

    Raises
    ------
    ValueError
        If an option is out of range.

    References
    ----------
    Wilton et al., Positive-unlabeled learning using random forests via recursive greedy risk minimization (NeurIPS 2022),
    section 5.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import Dataset
    >>> from pulib.sampling import CaseControl
    >>> data = Dataset("example", X=np.arange(100.0)[:, None], target=np.arange(100), y=(np.arange(100) < 40).astype(np.int8))
    >>> split = CaseControl(n_labeled=10).draw(data, random_state=0)
    >>> print(f"{len(split.labeled)} labeled, {len(split.unlabeled)} unlabeled, {len(split.test)} test; π = {split.prior:.2f}")
    10 labeled, 80 unlabeled, 20 test; π = 0.40
    """

    name: ClassVar[str] = "case_control"

    n_labeled: int = 1000
    unlabeled: Unlabeled = "all"
    prior: Prior | float = "train_and_test"
    test_fraction: float = 0.2
    redraw_labeled: bool = True

    def __post_init__(self) -> None:
        check_counts(self, "n_labeled")
        if self.unlabeled not in get_args(Unlabeled):
            raise ValueError(f"unlabeled={self.unlabeled!r}; expected one of {get_args(Unlabeled)}")
        if self.prior not in get_args(Prior) and not (isinstance(self.prior, Real) and 0 < self.prior < 1):
            raise ValueError(f"prior={self.prior!r}; expected one of {get_args(Prior)}, or a number in (0, 1)")
        check_test_fraction(self.test_fraction)

    def draw(self, dataset: Dataset, *, random_state: int, shared_seed: int | None = None, repeat: int = 0) -> Split:
        """Draw the rows of one repeat: see :meth:`Scheme.draw`.

        Raises
        ------
        ValueError
            If the training rows contain fewer than ``n_labeled`` positives.
        """
        shared = random_state if shared_seed is None else shared_seed
        train, test = training_and_test_rows(dataset, self.test_fraction, np.random.default_rng([shared, _TEST]))
        positives = train[dataset.y[train] == 1]
        if self.n_labeled > len(positives):
            raise ValueError(
                f"{dataset.name}: n_labeled={self.n_labeled}; expected 1 to {len(positives)}, "
                "the positives among the training rows"
            )
        rng = np.random.default_rng([random_state if self.redraw_labeled else shared, _LABELED])
        labeled = np.sort(rng.choice(positives, self.n_labeled, replace=False))
        others = train if self.unlabeled == "all" else np.setdiff1d(train, labeled, assume_unique=True)
        return Split(labeled=labeled, unlabeled=others, test=test, prior=_resolve_prior(self.prior, dataset, train, others))


def case_control_split(dataset: Dataset, *, random_state: int, shared_seed: int | None = None, **options: Any) -> Split:
    """Draw one split of :class:`pulib.sampling.CaseControl`.

    Parameters
    ----------
    dataset : Dataset
    random_state, shared_seed
        See :meth:`pulib.sampling.Scheme.draw`.
    **options
        See :class:`pulib.sampling.CaseControl`.

    Returns
    -------
    Split

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import Dataset
    >>> from pulib import case_control_split
    >>> data = Dataset("example", X=np.arange(100.0)[:, None], target=np.arange(100), y=(np.arange(100) < 40).astype(np.int8))
    >>> split = case_control_split(data, n_labeled=10, random_state=0)
    >>> print(f"{len(split.labeled)} labeled, {len(split.unlabeled)} unlabeled, {len(split.test)} test; π = {split.prior:.2f}")
    10 labeled, 80 unlabeled, 20 test; π = 0.40
    """
    return CaseControl(**options).draw(dataset, random_state=random_state, shared_seed=shared_seed)


def check_test_fraction(test_fraction: float) -> None:
    if not 0 < test_fraction < 1:
        raise ValueError(f"test_fraction={test_fraction}; expected a number in (0, 1)")


def training_and_test_rows(dataset: Dataset, test_fraction: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    n = len(dataset.y)
    if dataset.n_train is not None:
        return np.arange(dataset.n_train), np.arange(dataset.n_train, n)
    order = rng.permutation(n)
    n_test = int(np.ceil(test_fraction * n))
    return np.sort(order[n_test:]), np.sort(order[:n_test])


def _resolve_prior(prior: str | float, dataset: Dataset, train: np.ndarray, unlabeled: np.ndarray) -> float:
    if not isinstance(prior, str):
        return float(prior)
    if prior == "train_and_test":
        return dataset.prior
    return float(np.mean(dataset.y[train if prior == "train" else unlabeled]))
