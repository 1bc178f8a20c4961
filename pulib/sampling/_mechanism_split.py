"""Splits by label mechanism: samples of limited size, two or one of them, with right, biased or wrong labels."""

from __future__ import annotations

import numpy as np

from pulib.datasets import Dataset
from pulib.sampling._case_control import training_and_test_rows
from pulib.sampling._mechanisms import label_biased, label_one_sample, label_two_sample, label_wrong, model_posterior
from pulib.sampling._split import Split

_TEST, _SAMPLE, _LABELED, _ORDER, _UNLABELED, _WRONG = range(6)
_SCENARIOS = ("two_sample", "one_sample")


def mechanism_split(
    dataset: Dataset,
    *,
    random_state: int,
    scenario: str = "two_sample",
    n_labeled: int | None = None,
    kind: str | None = None,
    power: float = 1.0,
    wrong_share: float = 0.0,
    max_labeled: int = 1000,
    max_unlabeled: int = 10_000,
    max_test: int = 10_000,
    test_fraction: float = 0.3,
) -> Split:
    """Draw test rows, a sample of the others, and labels by one of the mechanisms of this module.

    Parameters
    ----------
    dataset : Dataset
    random_state : int
        The repeat's own seed.  Splits with the same seed share their test rows; those of the same scenario also share their
        samples.
    scenario : {"two_sample", "one_sample"}
        Whether labeled positives are separate from the sample of the population, or part of it.
    n_labeled : int or None
        None means ``max_labeled``, or a fifth of the sample's positives if that is fewer.  With two samples, a smaller number
        of labels is a subset of those, with the same unlabeled rows.
    kind : {"posterior", "boundary"} or None
        How labels of a single sample are biased (:func:`label_biased`); None means that they are not.
    power : float > 0
        Of the bias.
    wrong_share : float in [0, 1]
        Share of the labeled rows that are negatives (:func:`label_wrong`).
    max_labeled, max_unlabeled, max_test : int
        With one sample, ``max_unlabeled`` counts the labeled rows as well.
    test_fraction : float in (0, 1)
        Share of the rows to use for testing if the publisher provides no test set.

    Returns
    -------
    Split
        ``prior`` is the share of positives among the unlabeled rows, with one sample among labeled and unlabeled ones together.

    Raises
    ------
    ValueError
        If an argument is out of range, or there are fewer positives than labels.
    """
    if scenario not in _SCENARIOS:
        raise ValueError(f"scenario={scenario!r}; expected one of {_SCENARIOS}")
    if kind is not None and scenario == "two_sample":
        raise ValueError(f"kind={kind!r}: labels are biased within a single sample; expected scenario='one_sample'")
    train, test = training_and_test_rows(dataset, test_fraction, np.random.default_rng([random_state, _TEST]))
    test = _draw(test, max_test, np.random.default_rng([random_state, _TEST, 1]))
    sample = _draw(train, max_unlabeled, np.random.default_rng([random_state, _SAMPLE]))
    usual = max(1, min(max_labeled, int(np.sum(dataset.y[sample] == 1)) // 5))
    n = usual if n_labeled is None else n_labeled
    if scenario == "one_sample":
        truth = dataset.y[sample] == 1
        marked = _label_within(dataset, sample, n, kind, power, random_state)
        marked = label_wrong(marked, truth, wrong_share, random_state=_seed(random_state, _WRONG))
        return Split(labeled=sample[marked], unlabeled=sample[~marked], test=test, prior=float(np.mean(truth)))
    apart, others = label_two_sample(dataset.y[train] == 1, max(n, usual), random_state=_seed(random_state, _LABELED))
    if n < 1:
        raise ValueError(f"n_labeled={n}; expected at least 1")
    labeled = train[np.random.default_rng([random_state, _ORDER]).permutation(apart)[:n]]
    unlabeled = _draw(train[others], max_unlabeled, np.random.default_rng([random_state, _UNLABELED]))
    rest = np.setdiff1d(train, unlabeled, assume_unique=True)
    marked = label_wrong(np.isin(rest, labeled), dataset.y[rest] == 1, wrong_share, random_state=_seed(random_state, _WRONG))
    return Split(labeled=rest[marked], unlabeled=unlabeled, test=test, prior=float(np.mean(dataset.y[unlabeled])))


def _label_within(
    dataset: Dataset, sample: np.ndarray, n_labeled: int, kind: str | None, power: float, random_state: int
) -> np.ndarray:
    truth, seed = dataset.y[sample] == 1, _seed(random_state, _LABELED)
    if kind is None:
        return label_one_sample(truth, n_labeled, random_state=seed)
    posterior = model_posterior(dataset.X[sample], truth)
    return label_biased(truth, posterior, n_labeled, kind=kind, power=power, random_state=seed)[0]


def _draw(rows: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))


def _seed(random_state: int, use: int) -> int:
    return int(np.random.default_rng([random_state, use]).integers(2**32, dtype=np.uint32))
