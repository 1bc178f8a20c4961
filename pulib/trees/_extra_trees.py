"""PU Extra Trees: a forest of randomized PU decision trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy import sparse
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from pulib._random import draw_seeds
from pulib._typing import ArrayLike, MatrixLike, RandomState
from pulib.trees._base import BasePUTrees, grow_many
from pulib.trees._decision_tree import PUDecisionTreeClassifier, leaves_to_paths
from pulib.trees._importances import tree_importances
from pulib.trees._predict import add_votes, find_leaves, pack

_SHARED = tuple(PUDecisionTreeClassifier._get_param_names())
# Rows times trees that are worth a thread of their own when predicting: some milliseconds.
_PART = 200_000


def _in_threads(n_jobs: int | None, function: Callable, tasks: list[tuple]) -> list:
    """Results of the function for each tuple of arguments; one task, or one thread, goes without a pool."""
    if len(tasks) == 1 or effective_n_jobs(n_jobs) == 1:
        return [function(*task) for task in tasks]
    return Parallel(n_jobs=n_jobs, require="sharedmem")(delayed(function)(*task) for task in tasks)


class PUExtraTreesClassifier(BasePUTrees):
    """PU Extra Trees: randomized trees that minimize a PU estimate of the risk (algorithm 3 of Wilton et al., 2022).

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    prior : float in (0, 1) or None, default=None
        Share of positives in the population that the unlabeled rows stand for; estimated from the data where None.  Not used
        with ``risk="pn"``.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        ``two_sample``: the unlabeled rows are a sample of the whole population (case-control; the paper's setting).
        ``one_sample``: they are what is left of it when the labeled rows are taken out; labeled rows then count as unlabeled
        ones too.
    risk : {"nnpu", "upu", "pn"}, default="nnpu"
        Risk estimator: non-negative, unbiased, or the ordinary one for fully labeled data (the labels are then positive and
        negative).
    loss : {"quadratic", "logistic", "savage", "sigmoid"}, default="quadratic"
        With ``risk="pn"``, quadratic is the Gini impurity and logistic the entropy, times the node's weight (theorem 1).
    splitter : {"random", "best"}, default="random"
        ``n_thresholds`` random thresholds per feature, or all of them.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Number of non-constant features that are judged at a node (F in the paper): the square root or logarithm of the number
        of features, rounded up; a number; a share of the features; or all.
    n_thresholds : int, default=1
        Thresholds per feature (T in the paper) with ``splitter="random"``.
    threshold_range : {"uniform", "released"}, default="uniform"
        Where random thresholds are drawn; see :class:`PUDecisionTreeClassifier`.
    max_depth : int or None, default=None
    min_samples_leaf : int, default=1
        Nodes of at most so many rows are not split.
    bootstrap : bool, default=False
        Draw the labeled and the unlabeled rows of each tree with replacement, each from its own kind, as many as there are.
    warm_start : bool, default=False
        Keep the trees of the last ``fit`` and add to them up to ``n_estimators``.
    n_jobs : int or None, default=None
        Threads.  The forest does not depend on it.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    classes_ : array of shape (2,)
    prior_ : float
        The prior that was used (absent with ``risk="pn"``).
    estimators_ : list of PUDecisionTreeClassifier
        The trees; ``estimators_[i].tree_`` has the arrays.
    n_features_in_ : int
    feature_importances_ : array of shape (n_features,)
        Risk reduction per feature, averaged over the trees (not scaled to sum to one).

    Notes
    -----
    Beside ``X`` itself the forest keeps one transposed copy while it is grown, and some 100 bytes per row and thread.  A
    C- or Fortran-ordered memory map of type uint8, float32 or float64 is read in place, without any copy; large nodes are then
    slower in C order.

    References
    ----------
    Wilton, Koay, Ko, Xu, Ye: Positive-unlabeled learning using random forests via recursive greedy risk minimization.
    NeurIPS 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import PUExtraTreesClassifier
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(400) < 0.5
    >>> X = rng.normal(size=(400, 2)) + 2.0 * truth[:, None]
    >>> labeled = truth & (rng.random(400) < 0.3)
    >>> forest = PUExtraTreesClassifier(50, prior=0.4, random_state=0).fit(X, labeled.astype(int))
    >>> bool(np.mean(forest.predict(X) == truth) > 0.85)
    True
    """

    estimators_: list[PUDecisionTreeClassifier]

    _parameter_constraints: ClassVar[dict] = {
        **BasePUTrees._parameter_constraints,
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "bootstrap": ["boolean"],
        "warm_start": ["boolean"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        prior: float | None = None,
        scenario: str = "two_sample",
        risk: str = "nnpu",
        loss: str = "quadratic",
        splitter: str = "random",
        max_features: Any = "sqrt",
        n_thresholds: int = 1,
        threshold_range: str = "uniform",
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        bootstrap: bool = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ):
        self.n_estimators = n_estimators
        self.prior = prior
        self.scenario = scenario
        self.risk = risk
        self.loss = loss
        self.splitter = splitter
        self.max_features = max_features
        self.n_thresholds = n_thresholds
        self.threshold_range = threshold_range
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.bootstrap = bootstrap
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> PUExtraTreesClassifier:
        """Grow the forest.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Values 0..255 without a fraction are kept as 8-bit codes; float32 and float64 are kept as they are.
        y : array-like of shape (n_samples,)
            The greater of two labels marks labeled positives (all positives with ``risk="pn"``).

        Returns
        -------
        self
        """
        grown = list(self.estimators_) if self.warm_start and hasattr(self, "estimators_") else []
        if len(grown) > self.n_estimators:
            raise ValueError(
                f"n_estimators={self.n_estimators} is less than the {len(grown)} trees that there are; with warm_start=True "
                "it can only grow. Clone the estimator to start anew."
            )
        data, rule, labeled, unlabeled = self._prepare_fit(X, y, reset=not grown)
        seeds = draw_seeds(self.random_state, self.n_estimators)[len(grown) :]
        chunks = np.array_split(seeds, min(len(seeds), 4 * effective_n_jobs(self.n_jobs))) if len(seeds) else []
        tasks = [(data, rule, labeled, unlabeled, chunk, self.bootstrap) for chunk in chunks]
        parts = _in_threads(self.n_jobs, grow_many, tasks)
        trees = [tree for part in parts for tree in part]
        self.estimators_ = grown + [self._wrap(tree, seed) for tree, seed in zip(trees, seeds, strict=True)]
        self._nodes = pack([tree.tree_ for tree in self.estimators_])
        return self

    def _wrap(self, tree: Any, seed: Any) -> PUDecisionTreeClassifier:
        """A tree of the forest as an estimator of its own."""
        member = PUDecisionTreeClassifier(**{name: getattr(self, name) for name in _SHARED if name != "random_state"})
        member.random_state = int(seed % np.uint64(2**32))
        member.tree_ = tree
        for name in ("classes_", "prior_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(member, name, getattr(self, name))
        return member

    def _by_blocks(self, kernel: Callable[..., None], X: np.ndarray, out: np.ndarray) -> np.ndarray:
        """Run a prediction kernel over ranges of rows, in threads where there is work enough for them."""
        parts = max(1, min(effective_n_jobs(self.n_jobs), len(X) * len(self.estimators_) // _PART))
        bounds = np.linspace(0, len(X), parts + 1).astype(int)
        _in_threads(self.n_jobs, kernel, [(self._nodes, X, start, stop, out) for start, stop in pairwise(bounds)])
        return out

    def apply(self, X: MatrixLike) -> np.ndarray:
        """Number of the leaf that each row ends in, in every tree; int32 array of shape (n_samples, n_estimators)."""
        check_is_fitted(self)
        X = self._prepare_rows(X)
        return self._by_blocks(find_leaves, X, np.empty((len(X), len(self.estimators_)), np.int32))

    def decision_path(self, X: MatrixLike) -> tuple[sparse.csr_matrix, np.ndarray]:
        """Nodes that each row passes in all trees.

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
        """Mean leaf value over the trees, in [-1, 1]; shape (n_samples,)."""
        check_is_fitted(self)
        X = self._prepare_rows(X)
        return self._by_blocks(add_votes, X, np.zeros(len(X), np.int32)) / len(self.estimators_)

    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Share of the trees that vote negative and positive; shape (n_samples, 2), in the order of ``classes_``."""
        positive = (self.decision_function(X) + 1.0) / 2.0
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
        state.pop("_nodes", None)  # a second form of the trees
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "estimators_" in state:
            self._nodes = pack([member.tree_ for member in self.estimators_])

    def __len__(self) -> int:
        return len(self.estimators_)

    def __iter__(self) -> Iterator[PUDecisionTreeClassifier]:
        return iter(self.estimators_)

    def __getitem__(self, i: Any) -> Any:
        return self.estimators_[i]
