"""Folds of groups (such as places or patients) that all contain labeled rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator
from sklearn.model_selection._split import GroupsConsumerMixin
from sklearn.utils import check_random_state, indexable

from pulib._folds import deal_groups
from pulib._groups import group_codes
from pulib._labels import encode_pu_labels
from pulib._typing import ArrayLike, MatrixLike, RandomState


class PUGroupKFold(GroupsConsumerMixin, BaseCrossValidator):
    """Group folds that all contain labeled and unlabeled rows.

    If few groups have labeled rows, ``StratifiedGroupKFold`` may leave a fold without any, where PU scores are undefined.  This
    class first deals out the groups with labeled rows, so that each fold gets at least one and the numbers of labeled rows are
    as equal as possible.  Then it deals out the other groups to make folds of similar size.

    Parameters
    ----------
    n_splits : int, default=5
    random_state : int, RandomState instance or None, default=0
        Seed of the order of groups of equal size.
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.model_selection import PUGroupKFold
    >>> place = np.repeat(["a", "b", "c", "d", "e", "f"], 4)
    >>> y = np.isin(np.arange(24), [0, 1, 9])  # labeled rows at places a and c
    >>> for train, held_out in PUGroupKFold(2).split(np.zeros((24, 1)), y, place):
    ...     print(sorted(set(place[held_out].tolist())), y[held_out].sum())
    ['a', 'd', 'f'] 2
    ['b', 'c', 'e'] 1
    """

    def __init__(self, n_splits: int = 5, *, random_state: RandomState = 0, pos_label: Any = None) -> None:
        self.n_splits = n_splits
        self.random_state = random_state
        self.pos_label = pos_label

    def split(self, X: MatrixLike, y: ArrayLike, groups: ArrayLike | None = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the training rows and the held-out rows of each fold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            PU labels.
        groups : array-like of shape (n_samples,)
            A number or string per row, such as the place.

        Yields
        ------
        train, held_out : arrays of row numbers

        Raises
        ------
        ValueError
            If groups are not given, fewer than ``n_splits`` of them have labeled rows, or a fold has no unlabeled rows.
        """
        X, y, groups = indexable(X, y, groups)
        fold = self._fold_of_rows(X, y, groups)
        for number in range(self.n_splits):
            yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)

    def _fold_of_rows(self, X: MatrixLike, y: ArrayLike, groups: ArrayLike | None) -> np.ndarray:
        if groups is None:
            raise ValueError("groups=None: PUGroupKFold holds out whole groups; pass groups=, one value per row.")
        codes: Any = group_codes(groups, X)
        positive = encode_pu_labels(y, self.pos_label)[0]
        n = len(np.unique(codes[positive]))
        if not 2 <= self.n_splits <= n:
            raise ValueError(
                f"n_splits={self.n_splits}: {n} of {int(codes.max()) + 1} groups have labeled rows, and each of at least "
                "two folds holds one of them out. Use fewer folds, or label rows of more groups."
            )
        fold = deal_groups(codes, positive, self.n_splits, check_random_state(self.random_state))
        if len(np.unique(fold[~positive])) < self.n_splits:
            raise ValueError(
                f"n_splits={self.n_splits}: a fold has no unlabeled rows, which too few groups contain. Use fewer folds."
            )
        return fold

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds.

        Parameters
        ----------
        X, y, groups : ignored

        Returns
        -------
        n_splits : int
        """
        return self.n_splits
