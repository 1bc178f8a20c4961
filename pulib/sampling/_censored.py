"""Censored splits: labels are taken away from some positives of a labeled set, and what is left of it is unlabeled."""

from __future__ import annotations

import numpy as np

from pulib.datasets import Dataset
from pulib.sampling._split import Split

_LABELS, _FOLDS, _VALIDATION = range(3)


def censored_split(
    dataset: Dataset,
    *,
    random_state: int,
    repeat: int = 0,
    shared_seed: int | None = None,
    r: float = 0.2,
    n_folds: int = 5,
    validation_share: float = 0.1,
    hide: str = "random",
) -> Split:
    """Hide the labels of a share of the positives and of all negatives; keep a fold, or the publisher's test rows, for testing.

    Repeat k is fold k mod ``n_folds`` of partition k div ``n_folds``; partitions, and the order in which positives lose their
    labels, come from the shared seed.  The test sets of ``n_folds`` repeats are thus disjoint and cover the data, and a larger
    ``r`` hides the positives that a smaller one does, and more.  A data set with test rows of its own keeps them, and a repeat
    draws its labels anew from ``random_state``.

    Parameters
    ----------
    dataset : Dataset
    random_state : int
        The repeat's own seed.
    repeat : int
    shared_seed : int, optional
        The same for all repeats; None: ``random_state``.
    r : float in (0, 1)
        Share of the positives that go unlabeled.
    n_folds : int >= 2
    validation_share : float in [0, 1)
        Share of the training part, labeled and unlabeled rows alike, that is marked for validation.
    hide : {"random", "last"}
        Which positives lose their labels: drawn at random, or the last ones of the file.

    Returns
    -------
    Split
        ``prior`` is the share of positives among the unlabeled training rows.  In ``arrays``: ``population_prior``, the share
        of positives in the data set, and ``validation``, row numbers among ``labeled`` and ``unlabeled``.

    Raises
    ------
    ValueError
        If an argument is out of range, or a part would be left without rows.

    References
    ----------
    Zhang et al., Online Positive and Unlabeled Learning (IJCAI 2020), section 6.2.
    """
    _check(dataset, r, n_folds, validation_share)
    if hide not in ("random", "last"):
        raise ValueError(f"hide={hide!r}: expected 'random' or 'last'")
    n = len(dataset.y)
    if dataset.n_train is None:
        partition, fold = divmod(repeat, n_folds)
        seed = [random_state if shared_seed is None else shared_seed, partition]
        folds = stratified_folds(dataset.y, n_folds, np.random.default_rng([*seed, _FOLDS]))
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        hidden_from = np.arange(n)
    else:
        fold, seed = 0, [random_state]
        train, test = np.arange(dataset.n_train), np.arange(dataset.n_train, n)
        hidden_from = train
    unlabeled = dataset.y == 0
    positives = hidden_from[dataset.y[hidden_from] == 1]
    positives = positives[::-1] if hide == "last" else np.random.default_rng([*seed, _LABELS]).permutation(positives)
    unlabeled[positives[: round(r * len(positives))]] = True
    parts = {"labeled": train[~unlabeled[train]], "unlabeled": train[unlabeled[train]], "test": test}
    for name, rows in parts.items():
        if len(rows) == 0:
            raise ValueError(f"{dataset.name}, r={r}, repeat {repeat}: no {name} rows are left; use another r or fewer folds")
    rng = np.random.default_rng([*seed, _VALIDATION, fold])
    validation = [_draw(parts[name], validation_share, rng) for name in ("labeled", "unlabeled")]
    return Split(
        **parts,
        prior=float(np.mean(dataset.y[parts["unlabeled"]])),
        arrays={"population_prior": np.asarray(dataset.prior, dtype=np.float64), "validation": np.concatenate(validation)},
    )


def stratified_folds(y: np.ndarray, n_folds: int, rng: np.random.Generator) -> np.ndarray:
    """The fold of every row; the folds' sizes differ by at most one in each class, and by at most one in all."""
    shuffled = rng.permutation(len(y))
    by_class = shuffled[np.argsort(y[shuffled], kind="stable")]
    folds = np.empty(len(y), dtype=np.int64)
    folds[by_class] = np.arange(len(y)) % n_folds
    return folds


def _draw(rows: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """A share of the rows, in order: at least one and not all of them, unless the share is 0."""
    if share == 0:
        return rows[:0]
    count = min(max(1, round(share * len(rows))), len(rows) - 1)
    return np.sort(rng.choice(rows, size=count, replace=False))


def _check(dataset: Dataset, r: float, n_folds: int, validation_share: float) -> None:
    if not 0 < r < 1:
        raise ValueError(f"r={r}: the share of positives that go unlabeled has to lie between 0 and 1, both excluded")
    if n_folds < 2 or n_folds > len(dataset.y):
        raise ValueError(f"n_folds={n_folds}: from 2 to the number of rows, {len(dataset.y)}, is accepted")
    if not 0 <= validation_share < 1:
        raise ValueError(f"validation_share={validation_share}: a share from 0 to below 1 is accepted")
    if not 0 < np.mean(dataset.y) < 1:
        raise ValueError(f"{dataset.name} contains one class only; positives and negatives are both needed")
