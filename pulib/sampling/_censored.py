"""Censored splits: some positives of a labeled set lose their labels and become unlabeled, like all negatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from pulib.sampling._scheme import Scheme, Split, check_counts

if TYPE_CHECKING:
    from pulib.datasets import Dataset

Hide = Literal["random", "last"]
_LABELS, _FOLDS, _VALIDATION = range(3)


@dataclass(frozen=True, kw_only=True)
class Censored(Scheme):
    """Hide the labels of a share of the positives and of all negatives; test on a fold or on the publisher's test rows.

    Repeat k tests on fold k mod ``n_folds`` of partition k div ``n_folds``, so that the test sets of ``n_folds`` repeats are
    disjoint and cover the data.  The shared seed sets the partitions and the order in which positives lose their labels: a
    larger ``r`` hides more positives, including all those that a smaller one hides.  If the publisher provides test rows, they
    are used, and each repeat draws its labels from its own seed.

    Parameters
    ----------
    r : float in (0, 1), default=0.2
        Share of the positives that lose their labels.
    n_folds : int >= 2, default=5
    validation_share : float in [0, 1), default=0.1
        Share of the labeled and of the unlabeled training rows marked for validation.
    hide : {"random", "last"}, default="random"
        Whether random positives or the last ones of the file lose their labels.

    Raises
    ------
    ValueError
        If an option is out of range.

    References
    ----------
    Zhang et al., Online Positive and Unlabeled Learning (IJCAI 2020), section 6.2.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import Dataset
    >>> from pulib.sampling import Censored
    >>> data = Dataset("example", X=np.arange(100.0)[:, None], target=np.arange(100), y=(np.arange(100) < 40).astype(np.int8))
    >>> split = Censored(r=0.3).draw(data, random_state=0)
    >>> print(f"{len(split.labeled)} labeled, {len(split.unlabeled)} unlabeled, {len(split.test)} test; π = {split.prior:.2f}")
    22 labeled, 58 unlabeled, 20 test; π = 0.17
    """

    name: ClassVar[str] = "censored"

    r: float = 0.2
    n_folds: int = 5
    validation_share: float = 0.1
    hide: Hide = "random"

    def __post_init__(self) -> None:
        if not 0 < self.r < 1:
            raise ValueError(f"r={self.r}; expected the share of positives that become unlabeled, in (0, 1)")
        check_counts(self, "n_folds", least=2)
        if not 0 <= self.validation_share < 1:
            raise ValueError(f"validation_share={self.validation_share}; expected a share in [0, 1)")
        if self.hide not in get_args(Hide):
            raise ValueError(f"hide={self.hide!r}: expected 'random' or 'last'")

    def draw(self, dataset: Dataset, *, random_state: int, shared_seed: int | None = None, repeat: int = 0) -> Split:
        """Draw the rows of one repeat: see :meth:`Scheme.draw`.

        Returns
        -------
        Split
            ``prior`` is the share of positives among the unlabeled training rows.  ``arrays`` contains ``population_prior``,
            the share of positives in the data set, and ``validation``, some of the rows of ``labeled`` and ``unlabeled``.

        Raises
        ------
        ValueError
            If there are fewer rows than folds or only one class, or if a part would be empty.
        """
        n = len(dataset.y)
        if self.n_folds > n:
            raise ValueError(f"n_folds={self.n_folds}; expected 2 to {n}, the number of rows")
        if not 0 < np.mean(dataset.y) < 1:
            raise ValueError(f"{dataset.name} contains one class only; positives and negatives are both needed")
        if dataset.n_train is None:
            partition, fold = divmod(repeat, self.n_folds)
            seed = [random_state if shared_seed is None else shared_seed, partition]
            folds = stratified_folds(dataset.y, self.n_folds, np.random.default_rng([*seed, _FOLDS]))
            train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            hidden_from = np.arange(n)
        else:
            fold, seed = 0, [random_state]
            train, test = np.arange(dataset.n_train), np.arange(dataset.n_train, n)
            hidden_from = train
        unlabeled = dataset.y == 0
        positives = hidden_from[dataset.y[hidden_from] == 1]
        positives = positives[::-1] if self.hide == "last" else np.random.default_rng([*seed, _LABELS]).permutation(positives)
        unlabeled[positives[: round(self.r * len(positives))]] = True
        parts = {"labeled": train[~unlabeled[train]], "unlabeled": train[unlabeled[train]], "test": test}
        for name, rows in parts.items():
            if len(rows) == 0:
                raise ValueError(
                    f"{dataset.name}, r={self.r}, repeat {repeat}: no {name} rows are left; use another r or fewer folds"
                )
        rng = np.random.default_rng([*seed, _VALIDATION, fold])
        validation = [_draw(parts[name], self.validation_share, rng) for name in ("labeled", "unlabeled")]
        return Split(
            **parts,
            prior=float(np.mean(dataset.y[parts["unlabeled"]])),
            arrays={"population_prior": np.asarray(dataset.prior, dtype=np.float64), "validation": np.concatenate(validation)},
        )


def censored_split(
    dataset: Dataset, *, random_state: int, shared_seed: int | None = None, repeat: int = 0, **options: Any
) -> Split:
    """Draw one split of :class:`pulib.sampling.Censored`.

    Parameters
    ----------
    dataset : Dataset
    random_state, shared_seed, repeat
        See :meth:`pulib.sampling.Scheme.draw`.
    **options
        See :class:`pulib.sampling.Censored`.

    Returns
    -------
    Split

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import Dataset
    >>> from pulib import censored_split
    >>> data = Dataset("example", X=np.arange(100.0)[:, None], target=np.arange(100), y=(np.arange(100) < 40).astype(np.int8))
    >>> split = censored_split(data, r=0.3, random_state=0)
    >>> print(f"{len(split.labeled)} labeled, {len(split.unlabeled)} unlabeled, {len(split.test)} test; π = {split.prior:.2f}")
    22 labeled, 58 unlabeled, 20 test; π = 0.17
    """
    return Censored(**options).draw(dataset, random_state=random_state, shared_seed=shared_seed, repeat=repeat)


def stratified_folds(y: np.ndarray, n_folds: int, rng: np.random.Generator) -> np.ndarray:
    """Return the fold of every row; fold sizes differ by at most one, in each class and in total."""
    shuffled = rng.permutation(len(y))
    by_class = shuffled[np.argsort(y[shuffled], kind="stable")]
    folds = np.empty(len(y), dtype=np.int64)
    folds[by_class] = np.arange(len(y)) % n_folds
    return folds


def _draw(rows: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Draw a share of the rows, in order: at least one but not all of them, unless the share is 0."""
    if share == 0:
        return rows[:0]
    count = min(max(1, round(share * len(rows))), len(rows) - 1)
    return np.sort(rng.choice(rows, size=count, replace=False))
