"""Folds of places, patients or other groups of rows that keep labeled rows in each."""

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
    """Folds in which whole groups are held out, each with labeled and unlabeled rows.

    ``StratifiedGroupKFold`` may leave a fold without labeled rows where few groups have some; no PU score can be computed
    there.  Here the groups with labeled rows are dealt out first, so that each fold gets at least one, and as equal a number of
    labeled rows as groups allow; then the other groups, so that folds are of equal size.

    Parameters
    ----------
    n_splits : int, default=5
    random_state : int, RandomState instance or None, default=0
        Order in which groups of equal size are dealt out.
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
        """Rows to train on and rows held out, by fold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            PU labels.
        groups : array-like of shape (n_samples,)
            A number or a text per row, such as the place; whole groups are held out.

        Yields
        ------
        train, held_out : arrays of row numbers

        Raises
        ------
        ValueError
            If groups are not given, or fewer of them than ``n_splits`` have labeled rows.
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
        """The number of folds.

        Parameters
        ----------
        X, y, groups : ignored

        Returns
        -------
        n_splits : int
        """
        return self.n_splits
