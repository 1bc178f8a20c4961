"""Public methods of a fitted forest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from pulib._trees._predict import Nodes, pack, send_down
from pulib._trees._sparse import dense_parts, select_columns
from pulib._typing import MatrixLike
from pulib.trees._base import BasePUTrees
from pulib.trees._decision_tree import PUDecisionTreeClassifier, leaves_to_paths
from pulib.trees._importances import tree_importances
from pulib.trees._shares import unit_of, whole_shares

#: Minimum rows times trees per thread when predicting: a few milliseconds of work.
_PART = 200_000


def in_threads(n_jobs: int | None, function: Callable, tasks: list[tuple]) -> list:
    """Return the function's result for each tuple of arguments; use no pool for one task or thread."""
    if len(tasks) == 1 or effective_n_jobs(n_jobs) == 1:
        return [function(*task) for task in tasks]
    return Parallel(n_jobs=n_jobs, require="sharedmem")(delayed(function)(*task) for task in tasks)


class ForestVotes(BasePUTrees):
    """Prediction methods of :class:`PUExtraTreesClassifier`."""

    n_jobs: int | None
    estimators_: list[PUDecisionTreeClassifier]
    #: The packed trees for each dtype and sparsity of rows.
    _packed: dict[tuple[str, bool], Nodes]

    def _send_down(self, X: Any, missing: bool, out: np.ndarray) -> np.ndarray:
        """Fill ``out`` by sending rows down all trees, in threads if there is enough work."""
        trees = [member.tree_ for member in self.estimators_]
        kind = X.dtype.name, sparse.issparse(X)
        X, columns = select_columns(X, trees)
        if kind not in self._packed:
            values = whole_shares(trees, len(trees)) if self._separate_ranking else None
            self._packed[kind] = pack(trees, X.dtype, columns, values)
        nodes = self._packed[kind]
        for part, rows in dense_parts(X):
            threads = max(1, min(effective_n_jobs(self.n_jobs), len(rows) * len(self.estimators_) // _PART))
            bounds = pairwise(np.linspace(0, len(rows), threads + 1).astype(int))
            in_threads(self.n_jobs, send_down, [(nodes, rows, start, stop, out[part], missing) for start, stop in bounds])
        return out

    def apply(self, X: MatrixLike) -> np.ndarray:
        """Index of each row's leaf in every tree; int32 array of shape (n_samples, n_estimators)."""
        check_is_fitted(self)
        X, missing = self._prepare_rows(X)
        return self._send_down(X, missing, np.empty((X.shape[0], len(self.estimators_)), np.int32))

    def decision_path(self, X: MatrixLike) -> tuple[sparse.csr_matrix, np.ndarray]:
        """Return the nodes that each row passes through, in all trees.

        Returns
        -------
        indicator : sparse matrix of shape (n_samples, n_nodes)
        n_nodes_ptr : array of shape (n_estimators + 1,)
            The columns of tree i are ``n_nodes_ptr[i]:n_nodes_ptr[i + 1]``.
        """
        leaves = self.apply(X)
        paths = [leaves_to_paths(member.tree_, leaves[:, i]) for i, member in enumerate(self.estimators_)]
        return sparse.hstack(paths).tocsr(), np.concatenate([[0], np.cumsum([path.shape[1] for path in paths])])

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Mean leaf value over the trees, minus ``threshold_`` if there is one; shape (n_samples,).

        Leaf values are +1 and -1, or shares of labeled rows if positives are rare (``training_prior``).
        """
        return self._mean_votes(X) - getattr(self, "threshold_", 0.0)

    def _mean_votes(self, X: MatrixLike) -> np.ndarray:
        check_is_fitted(self)
        X, missing = self._prepare_rows(X)
        return self._send_down(X, missing, np.zeros(X.shape[0], np.int32)) / (len(self.estimators_) * self._unit)

    @property
    def _unit(self) -> int:
        """Integer that represents a leaf value of 1 in the sums over trees."""
        return unit_of(len(self.estimators_)) if self._separate_ranking else 1

    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Shares of votes, or probabilities at π; shape (n_samples, 2), in the order of ``classes_``.

        They are probabilities with ``calibration``, and if positives are rare (``training_prior``).
        """
        votes = self._mean_votes(X)
        positive = self._map.predict(votes) if hasattr(self, "_map") else (votes + 1.0) / 2.0
        return np.column_stack([1.0 - positive, positive])

    def risk_reduction_importances(self, *, normalized: bool = False) -> np.ndarray:
        """Risk reduction importance (section 4): the total risk reduction per feature, averaged over the trees.

        Parameters
        ----------
        normalized : bool, default=False
            Divide each node's reduction by the node's weight ``W_p + W_n``.

        Returns
        -------
        importances : array of shape (n_features,)
        """
        check_is_fitted(self)
        each = [tree_importances(member.tree_, self.n_features_in_, normalized=normalized) for member in self.estimators_]
        return np.mean(each, axis=0)

    @property
    def feature_importances_(self) -> np.ndarray:
        return self.risk_reduction_importances()

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__().copy()
        state.pop("_packed", None)  # rebuilt when needed
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "estimators_" in state:
            self._packed = {}

    def __len__(self) -> int:
        return len(self.estimators_)

    def __iter__(self) -> Iterator[PUDecisionTreeClassifier]:
        return iter(self.estimators_)

    def __getitem__(self, i: Any) -> Any:
        return self.estimators_[i]
