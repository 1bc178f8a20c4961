"""Case-control splits: some positives are labeled, and the unlabeled rows are a sample of the whole population."""

from __future__ import annotations

from numbers import Real

import numpy as np

from pulib.datasets import Dataset
from pulib.sampling._split import Split

_TEST, _LABELED = range(2)
_UNLABELED = ("all", "rest")
_PRIORS = ("train_and_test", "train", "unlabeled")


def case_control_split(
    dataset: Dataset,
    *,
    random_state: int,
    shared_seed: int | None = None,
    n_labeled: int = 1000,
    unlabeled: str = "all",
    prior: str | float = "train_and_test",
    test_fraction: float = 0.2,
    redraw_labeled: bool = True,
) -> Split:
    """Draw labeled positives from the training rows; take all training rows, or the rest of them, as unlabeled.

    The publisher's test rows are kept if there are any.  Otherwise a random share is held out, the same in all repeats.

    Parameters
    ----------
    dataset : Dataset
    random_state : int
        The repeat's own seed.
    shared_seed : int, optional
        The same for all repeats; it draws the test rows.  None: ``random_state``.
    n_labeled : int
        Number of labeled positives, drawn without replacement.
    unlabeled : {"all", "rest"}
        ``all``: every training row is unlabeled, the labeled ones included (they occur twice then).  ``rest``: without them.
    prior : {"train_and_test", "train", "unlabeled"} or float in (0, 1)
        The share of positives that methods are given: that of the data set, of its training rows, or of the unlabeled rows, or
        a number.
    test_fraction : float in (0, 1)
        Share of the rows to use for testing if the publisher provides no test set; rounded up to a whole row.
    redraw_labeled : bool
        Draw new labeled positives in each repeat; otherwise they too come from ``shared_seed``.

    Returns
    -------
    Split

    Raises
    ------
    ValueError
        If an argument is out of range, or the training rows contain fewer than ``n_labeled`` positives.

    References
    ----------
    Wilton et al., Positive-unlabeled learning using random forests via recursive greedy risk minimization (NeurIPS 2022),
    section 5.
    """
    if unlabeled not in _UNLABELED:
        raise ValueError(f"unlabeled={unlabeled!r}; expected one of {_UNLABELED}")
    shared = random_state if shared_seed is None else shared_seed
    train, test = training_and_test_rows(dataset, test_fraction, np.random.default_rng([shared, _TEST]))
    positives = train[dataset.y[train] == 1]
    if not 1 <= n_labeled <= len(positives):
        raise ValueError(
            f"{dataset.name}: n_labeled={n_labeled}; expected 1 to {len(positives)}, the positives among the training rows"
        )
    rng = np.random.default_rng([random_state if redraw_labeled else shared, _LABELED])
    labeled = np.sort(rng.choice(positives, n_labeled, replace=False))
    others = train if unlabeled == "all" else np.setdiff1d(train, labeled, assume_unique=True)
    return Split(labeled=labeled, unlabeled=others, test=test, prior=_resolve_prior(prior, dataset, train, others))


def training_and_test_rows(dataset: Dataset, test_fraction: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    n = len(dataset.y)
    if dataset.n_train is not None:
        return np.arange(dataset.n_train), np.arange(dataset.n_train, n)
    if not 0 < test_fraction < 1:
        raise ValueError(f"test_fraction={test_fraction}; expected a number in (0, 1)")
    order = rng.permutation(n)
    n_test = int(np.ceil(test_fraction * n))
    return np.sort(order[n_test:]), np.sort(order[:n_test])


def _resolve_prior(prior: str | float, dataset: Dataset, train: np.ndarray, unlabeled: np.ndarray) -> float:
    if isinstance(prior, Real) and 0 < prior < 1:
        return float(prior)
    if prior not in _PRIORS:
        raise ValueError(f"prior={prior!r}; expected one of {_PRIORS}, or a number in (0, 1)")
    if prior == "train_and_test":
        return dataset.prior
    return float(np.mean(dataset.y[train if prior == "train" else unlabeled]))
