"""Splits by label mechanism: one or two samples of limited size, with correct, biased or wrong labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

import numpy as np

from pulib.sampling._bias import Bias, check_bias
from pulib.sampling._case_control import check_test_fraction, training_and_test_rows
from pulib.sampling._scheme import Scheme, Split, check_counts

if TYPE_CHECKING:
    from pulib.datasets import Dataset

Scenario = Literal["two_sample", "one_sample"]
_TEST, _SAMPLE, _LABELED, _ORDER, _UNLABELED, _WRONG = range(6)


@dataclass(frozen=True, kw_only=True)
class Mechanism(Scheme):
    """Draw test rows, a sample of the other rows, and labels by one of the label mechanisms.

    Splits with the same seed and ``prior`` share their test rows; those of the same scenario also share their samples.

    Parameters
    ----------
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether labeled positives are separate from the sample of the population, or part of it.
    n_labeled : int or None, default=None
        None means ``max_labeled``, or a fifth of the sample's positives if that is fewer.  With two samples, fewer labels are a
        subset of these, with the same unlabeled rows.
    kind : {"posterior", "boundary"} or None, default=None
        Bias of the labels of a single sample (:func:`pulib.sampling.label_biased`); None means unbiased labels.
    power : float > 0, default=1.0
        Strength of the bias.
    wrong_share : float in [0, 1], default=0.0
        Share of the labeled rows that are negatives (:func:`pulib.sampling.label_wrong`).
    prior : float in (0, 1) or None, default=None
        With two samples, the share of positives among the unlabeled and among the test rows, reached by leaving out rows of one
        class.  None leaves the shares unchanged.
    max_labeled : int, default=1000
    max_unlabeled : int, default=10_000
        With one sample, the limit includes labeled rows.
    max_test : int, default=10_000
    test_fraction : float in (0, 1), default=0.3
        Share of test rows if the publisher provides no test set.

    Raises
    ------
    ValueError
        If an option is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import Dataset
    >>> from pulib.sampling import Mechanism
    >>> data = Dataset("example", X=np.arange(100.0)[:, None], target=np.arange(100), y=(np.arange(100) < 40).astype(np.int8))
    >>> split = Mechanism(n_labeled=10, wrong_share=0.2).draw(data, random_state=0)
    >>> print(f"{data.y[split.labeled].sum()} of {len(split.labeled)} labeled rows are positive")
    8 of 10 labeled rows are positive
    """

    name: ClassVar[str] = "mechanism"

    scenario: Scenario = "two_sample"
    n_labeled: int | None = None
    kind: Bias | None = None
    power: float = 1.0
    wrong_share: float = 0.0
    prior: float | None = None
    max_labeled: int = 1000
    max_unlabeled: int = 10_000
    max_test: int = 10_000
    test_fraction: float = 0.3

    def __post_init__(self) -> None:
        if self.scenario not in get_args(Scenario):
            raise ValueError(f"scenario={self.scenario!r}; expected one of {get_args(Scenario)}")
        if self.kind is not None:
            check_bias(self.kind, self.power)
            if self.scenario == "two_sample":
                raise ValueError(
                    f"kind={self.kind!r}: labels are biased within a single sample; expected scenario='one_sample'"
                )
        if not 0 <= self.wrong_share <= 1:
            raise ValueError(f"wrong_share={self.wrong_share}; expected a share from 0 to 1")
        if self.prior is not None:
            if not 0 < self.prior < 1:
                raise ValueError(f"prior={self.prior}; expected a share in (0, 1)")
            if self.scenario == "one_sample":
                raise ValueError(f"prior={self.prior}: only unlabeled rows are thinned out; expected scenario='two_sample'")
        check_counts(self, "n_labeled", "max_labeled", "max_unlabeled", "max_test")
        check_test_fraction(self.test_fraction)

    def draw(self, dataset: Dataset, *, random_state: int, shared_seed: int | None = None, repeat: int = 0) -> Split:
        """Draw the rows of one repeat: see :meth:`Scheme.draw`.

        Returns
        -------
        Split
            ``prior`` is the share of positives among the unlabeled rows or, with one sample, among labeled and unlabeled rows.

        Raises
        ------
        ValueError
            If there are fewer positives than labels, or too few rows for a share ``prior`` of positives.
        """
        from pulib.sampling._mechanisms import label_two_sample, label_wrong

        train, test = training_and_test_rows(dataset, self.test_fraction, np.random.default_rng([random_state, _TEST]))
        test = self._draw(dataset, test, self.max_test, np.random.default_rng([random_state, _TEST, 1]))
        sample = _draw(train, self.max_unlabeled, np.random.default_rng([random_state, _SAMPLE]))
        usual = max(1, min(self.max_labeled, int(np.sum(dataset.y[sample] == 1)) // 5))
        n = usual if self.n_labeled is None else self.n_labeled
        if self.scenario == "one_sample":
            truth = dataset.y[sample] == 1
            marked = _label_within(dataset, sample, n, self.kind, self.power, random_state)
            marked = label_wrong(marked, truth, self.wrong_share, random_state=_seed(random_state, _WRONG))
            return Split(labeled=sample[marked], unlabeled=sample[~marked], test=test, prior=float(np.mean(truth)))
        apart, others = label_two_sample(dataset.y[train] == 1, max(n, usual), random_state=_seed(random_state, _LABELED))
        labeled = train[np.random.default_rng([random_state, _ORDER]).permutation(apart)[:n]]
        rng = np.random.default_rng([random_state, _UNLABELED])
        unlabeled = self._draw(dataset, train[others], self.max_unlabeled, rng)
        rest = np.setdiff1d(train, unlabeled, assume_unique=True)
        marked = label_wrong(
            np.isin(rest, labeled), dataset.y[rest] == 1, self.wrong_share, random_state=_seed(random_state, _WRONG)
        )
        return Split(labeled=rest[marked], unlabeled=unlabeled, test=test, prior=float(np.mean(dataset.y[unlabeled])))

    def _draw(self, dataset: Dataset, rows: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
        """Draw at most ``most`` rows, a share ``prior`` of them positive."""
        if self.prior is None:
            return _draw(rows, most, rng)
        truth = dataset.y[rows] == 1
        positive, negative = rows[truth], rows[~truth]
        n = min(most, int(len(positive) / self.prior), int(len(negative) / (1 - self.prior)))
        n_positive = round(self.prior * n)
        if not 0 < n_positive < n:
            raise ValueError(
                f"prior={self.prior}: of {len(positive)} positives and {len(negative)} negatives, {n} rows would be left, "
                "all of one class"
            )
        drawn = [rng.choice(positive, n_positive, replace=False), rng.choice(negative, n - n_positive, replace=False)]
        return np.sort(np.concatenate(drawn))


def _label_within(
    dataset: Dataset, sample: np.ndarray, n_labeled: int, kind: str | None, power: float, random_state: int
) -> np.ndarray:
    from pulib.sampling._mechanisms import label_biased, label_one_sample, model_posterior

    truth, seed = dataset.y[sample] == 1, _seed(random_state, _LABELED)
    if kind is None:
        return label_one_sample(truth, n_labeled, random_state=seed)
    posterior = model_posterior(dataset.X[sample], truth)
    return label_biased(truth, posterior, n_labeled, kind=kind, power=power, random_state=seed)[0]


def _draw(rows: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))


def _seed(random_state: int, use: int) -> int:
    return int(np.random.default_rng([random_state, use]).integers(2**32, dtype=np.uint32))
