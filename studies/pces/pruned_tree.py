"""A regression tree with reduced-error pruning, as WEKA's REPTree grows it by default (Quinlan, 1987).

One part of the rows grows the tree, and the others prune it.  From the leaves up, a split is removed if the squared error of
its leaves on these rows is at least that of the node's own mean.  The means of the remaining nodes are then taken over all
rows.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin, _fit_context
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted, validate_data


class PrunedTreeRegressor(RegressorMixin, BaseEstimator):
    """Least-squares regression tree, pruned by its error on held-out rows.

    The base learner of SGBDota in its paper ("a regression tree", section 5.1, with WEKA's defaults).

    Parameters
    ----------
    min_samples_leaf : int >= 1, default=2
        Minimum number of rows in a leaf when the tree is grown.
    min_variance : float >= 0, default=1e-3
        A node whose variance is below this share of the root's is not split.
    prune_share : float in (0, 1), default=1/3
        Share of the rows that prune the tree; with fewer than three rows, none do.
    random_state : int, RandomState instance or None, default=None
        Determines which rows these are.

    Attributes
    ----------
    n_leaves_ : int
    n_features_in_ : int

    References
    ----------
    Yu and Zhou (2010), section 5.1; Quinlan, Simplifying decision trees (1987).

    Examples
    --------
    >>> import numpy as np
    >>> from studies.pces.pruned_tree import PrunedTreeRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((300, 1))
    >>> tree = PrunedTreeRegressor(random_state=0).fit(X, (X[:, 0] > 0.5) + 0.1 * rng.normal(size=300))
    >>> bool(tree.n_leaves_ < 50), abs(tree.predict([[0.2], [0.8]]).round()).tolist()
    (True, [0.0, 1.0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "min_variance": [Interval(Real, 0, None, closed="left")],
        "prune_share": [Interval(Real, 0, 1, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        min_samples_leaf: int = 2,
        min_variance: float = 1e-3,
        prune_share: float = 1 / 3,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.min_variance = min_variance
        self.prune_share = prune_share
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> PrunedTreeRegressor:
        """Grow the tree on one part of the rows and prune it on the others.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, dtype=np.float32, order="C", y_numeric=True)
        y = np.asarray(y, dtype=np.float64)
        rng = check_random_state(self.random_state)
        order = rng.permutation(len(y))
        cut = int(self.prune_share * len(y))
        held_out, grown = order[:cut], order[cut:]
        grower = DecisionTreeRegressor(min_samples_leaf=self.min_samples_leaf, random_state=rng.randint(2**31))
        self._tree = grower.fit(X[grown], y[grown]).tree_
        n, total = _by_node(self._tree, X[grown], y[grown])
        n_held, held_total = _by_node(self._tree, X[held_out], y[held_out])
        _, squares = _by_node(self._tree, X[held_out], y[held_out] ** 2)
        own = total / n
        self._leaf = self._prune(squares - 2 * own * held_total + own**2 * n_held)
        self._value = (total + held_total) / (n + n_held)
        self.n_leaves_ = len(np.unique(self._leaf[self._tree.children_left == -1]))
        return self

    def _prune(self, error: np.ndarray) -> np.ndarray:
        """Return the node that predicts for each node: itself, or an ancestor that became a leaf; ``error`` is as a leaf."""
        tree, error = self._tree, error.copy()
        small = tree.impurity < self.min_variance * tree.impurity[0]
        is_leaf = (tree.children_left == -1) | small
        for node in range(tree.node_count - 1, -1, -1):  # children come after their parents
            if not is_leaf[node]:
                below = error[tree.children_left[node]] + error[tree.children_right[node]]
                is_leaf[node] = below >= error[node]
                error[node] = min(below, error[node])
        answers = np.arange(tree.node_count)
        for node in range(tree.node_count):
            if tree.children_left[node] != -1 and (is_leaf[node] or answers[node] != node):
                answers[[tree.children_left[node], tree.children_right[node]]] = answers[node]
        return answers

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Predict the mean of each row's leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        values : float array of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float32, order="C")
        return self._value[self._leaf[self._tree.apply(X)]]


def _by_node(tree: Any, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of rows and their sum of ``y`` by node, including inner nodes."""
    leaves = tree.apply(X) if len(X) else np.empty(0, dtype=np.intp)
    n = np.bincount(leaves, minlength=tree.node_count).astype(np.float64)
    total = np.bincount(leaves, y, minlength=tree.node_count)
    for node in range(tree.node_count - 1, -1, -1):
        if tree.children_left[node] != -1:
            for values in (n, total):
                values[node] = values[tree.children_left[node]] + values[tree.children_right[node]]
    return n, total
