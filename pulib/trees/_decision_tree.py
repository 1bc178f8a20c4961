"""One PU decision tree."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import _fit_context
from sklearn.utils.validation import check_is_fitted

from pulib._calibration import fit_share
from pulib._equal_rows import rows_held_out_together
from pulib._random import draw_seeds
from pulib._threshold import cross_fitted_scores
from pulib._training_prior import can_hold_out
from pulib._trees._growing import grow_many
from pulib._trees._predict import pack, send_down
from pulib._trees._rows import Rows
from pulib._trees._sparse import dense_parts, select_columns
from pulib._trees._tree import LEAF, Tree
from pulib._typing import ArrayLike, MatrixLike, RandomState
from pulib.trees._base import BasePUTrees
from pulib.trees._importances import tree_importances
from pulib.trees._shares import labeled_shares


class PUDecisionTreeClassifier(BasePUTrees):
    """Decision tree that greedily minimizes a PU estimate of the risk.

    Each split maximizes the reduction of the partial risk, ``R*(node) - R*(left) - R*(right)``, with the minimum partial risks
    in closed form (Wilton et al., 2022, section 3 and algorithms 1 and 2).

    Parameters
    ----------
    prior : float in (0, 1) or None, default=None
        π, the share of positives in the population that the unlabeled rows represent; None estimates it from the data.  Not
        used with ``risk="pn"``.
    training_prior : float in (0, 1), "auto" or None, default="auto"
        How rows are ranked if positives are rare.  None uses π, as in the paper: leaves vote for the majority at π, which is
        nearly always negative if π is small.  With a float, or with "auto" and π < 1/8, scores are the leaves' smoothed shares
        of labeled rows.  The threshold is then set on cross-fitted scores (five more trees on four fifths of the rows).  With a
        float, splits minimize the balanced PU risk (Su, Chen and Xu, 2021) at that share of positives; with "auto", they use π,
        which ranked best.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        ``two_sample``: the unlabeled rows are a sample of the whole population (case-control; the paper's setting).
        ``one_sample``: labeled and unlabeled rows together are that sample, so labeled rows also count as unlabeled.
    risk : {"nnpu", "upu", "pn"}, default="nnpu"
        Risk estimator: non-negative, unbiased, or the ordinary one for fully labeled data (labels are then positive and
        negative).
    loss : {"quadratic", "logistic", "savage", "sigmoid"}, default="quadratic"
        With ``risk="pn"``, quadratic is the Gini impurity and logistic the entropy, times the node's weight (theorem 1).
    splitter : {"best", "random"}, default="best"
        All thresholds, or ``n_thresholds`` random ones per feature.
    max_features : {"sqrt", "log2"}, int, float or None, default=None
        Number of non-constant features to try at a node (F in the paper): the square root or logarithm of the number of
        features, rounded up; a number; a share of the features; or all.
    n_thresholds : int, default=1
        Thresholds per feature (T in the paper) with ``splitter="random"``, uniform over the feature's range at the node.
    max_depth : int or None, default=None
    min_samples_leaf : int, default=1
        Nodes with at most this many rows (labeled and unlabeled) are not split.  As in the paper, the children of larger nodes
        may be smaller.
    random_state : int, RandomState instance or None, default=None
        Controls the random features and thresholds, and the label of a leaf if both labels have the same risk.
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows (NaN for missing labels) if ``y`` also contains known negatives: 0 for labels 1, 0 and
        -1.  ``classes_`` is then [negative, positive].  None: there are no known negatives.

    Attributes
    ----------
    classes_ : array of shape (2,)
    prior_ : float
        The prior in use (absent with ``risk="pn"``).
    prior_estimate_ : PriorEstimate
        π with its interval, if ``fit`` estimated it.
    training_prior_ : float
        The prior at which splits were chosen (absent with ``risk="pn"``).
    threshold_ : float
        If scores are shares of labeled rows: the score that a share π of the population exceeds.
    tree_ : Tree
        The tree as flat arrays: ``children_left``, ``children_right``, ``feature``, ``threshold``, ``risk``, ``weight``,
        ``n_labeled``, ``n_unlabeled``, ``value``, ``missing_go_to_left``.
    n_features_in_ : int
    feature_importances_ : array of shape (n_features,)
        Total risk reduction per feature (not scaled to sum to one).

    See Also
    --------
    PUExtraTreesClassifier : A forest of such trees.

    References
    ----------
    Wilton, Koay, Ko, Xu, Ye: Positive-unlabeled learning using random forests via recursive greedy risk minimization.
    NeurIPS 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import PUDecisionTreeClassifier
    >>> X = np.array([[0.0], [0.1], [0.9], [1.0], [1.1], [0.2]])
    >>> y = np.array([0, 0, 0, 0, 1, 0])  # one labeled positive; some of the others are positive too
    >>> tree = PUDecisionTreeClassifier(prior=0.4, random_state=0).fit(X, y)
    >>> tree.predict([[0.0], [1.05]])
    array([0, 1])
    """

    tree_: Tree

    _parameter_constraints: ClassVar[dict] = {**BasePUTrees._parameter_constraints}

    def __init__(
        self,
        *,
        prior: float | None = None,
        training_prior: float | str | None = "auto",
        scenario: str = "two_sample",
        risk: str = "nnpu",
        loss: str = "quadratic",
        splitter: str = "best",
        max_features: Any = None,
        n_thresholds: int = 1,
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        random_state: RandomState = None,
        pos_label: Any = None,
        unlabeled_label: Any = None,
    ):
        self.prior = prior
        self.training_prior = training_prior
        self.scenario = scenario
        self.risk = risk
        self.loss = loss
        self.splitter = splitter
        self.max_features = max_features
        self.n_thresholds = n_thresholds
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> PUDecisionTreeClassifier:
        """Grow the tree.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Integers 0..255, and columns of floats with few distinct values, are stored as codes of 1, 8 or 16 bits, which does
            not change the tree.  NaN is a missing value: at each split, rows without a value go to the side with the lower
            risk.
        y : array-like of shape (n_samples,)
            PU labels: 1 for labeled positives and 0 for unlabeled rows, or as ``pos_label`` says, and the label of known
            negatives if ``unlabeled_label`` is given; true labels with ``risk="pn"``.
        sample_weight : array-like of shape (n_samples,), optional
            How often each row counts: equal weights, or whole numbers, whose common factor has no effect.  A row of weight 3
            takes the memory of three rows.  Weights also affect an estimate of π.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a weight is negative or not a whole number, or all rows of a kind have weight 0.
        """
        data, rule, rows = self._prepare_fit(X, y, sample_weight)
        self.tree_ = grow_many(data, rule, rows, draw_seeds(self.random_state, 1))[0]
        if self._separate_ranking and self._sets_threshold:
            self._set_threshold(X, rows)
        return self

    def _set_threshold(self, X: MatrixLike, rows: Rows) -> None:
        """Set the threshold on cross-fitted scores, or on training scores if there are too few rows to hold out."""
        positive = np.zeros(len(rows.labeled) + len(rows.unlabeled) if rows.weights is None else len(rows.weights), bool)
        positive[rows.labeled] = True
        score = PUDecisionTreeClassifier.decision_function
        self._warn_of_repeats(X, positive, rows.groups)
        if can_hold_out(positive, rows.weights):
            bare = self._without_threshold()
            equal = rows_held_out_together(X, positive, self.prior) if rows.groups is None else None
            scores = cross_fitted_scores(bare, X, positive, score, weights=rows.weights, groups=rows.groups, equal=equal)
        else:
            scores = score(self, X)
        self._set_map(fit_share, scores, positive, rows.weights)

    def apply(self, X: MatrixLike) -> np.ndarray:
        """Index of each row's leaf; int32 array of shape (n_samples,)."""
        check_is_fitted(self)
        X, missing = self._prepare_rows(X)
        leaves = np.empty((X.shape[0], 1), np.int32)
        X, columns = select_columns(X, [self.tree_])
        nodes = pack([self.tree_], X.dtype, columns)
        for part, rows in dense_parts(X):
            send_down(nodes, rows, 0, len(rows), leaves[part], missing)
        return leaves[:, 0]

    def decision_path(self, X: MatrixLike) -> sparse.csr_matrix:
        """Indicator matrix of the nodes that each row passes through; shape (n_samples, n_nodes)."""
        return leaves_to_paths(self.tree_, self.apply(X))

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Value of each row's leaf, +1.0 (positive) or -1.0 (negative); shape (n_samples,).

        If positives are rare (``training_prior``), the leaf's share of labeled rows minus ``threshold_``.
        """
        leaves = self.apply(X)
        if self._separate_ranking:
            return labeled_shares(self.tree_)[leaves] - getattr(self, "threshold_", 0.0)
        return self.tree_.value[leaves].astype(np.float64)

    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Indicator (0 or 1) of each row's predicted class; shape (n_samples, 2), in the order of ``classes_``.

        If positives are rare (``training_prior``), probabilities, which equal one half at ``threshold_``.
        """
        scores = self.decision_function(X)
        positive = self._map.predict(scores + self.threshold_) if hasattr(self, "_map") else (scores + 1.0) / 2.0
        return np.column_stack([1.0 - positive, positive])

    def risk_reduction_importances(self, *, normalized: bool = False) -> np.ndarray:
        """Risk reduction per feature (section 4), optionally with each node's reduction divided by its weight."""
        check_is_fitted(self)
        return tree_importances(self.tree_, self.n_features_in_, normalized=normalized)

    @property
    def feature_importances_(self) -> np.ndarray:
        return self.risk_reduction_importances()

    def get_depth(self) -> int:
        """Depth of the tree; 0 for a single leaf."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves


def leaves_to_paths(tree: Tree, leaves: np.ndarray) -> sparse.csr_matrix:
    """Indicator matrix of the nodes from the root to each leaf; shape (len(leaves), node_count)."""
    parent = np.full(tree.node_count, -1)
    inner = np.flatnonzero(tree.children_left != LEAF)
    parent[tree.children_left[inner]] = inner
    parent[tree.children_right[inner]] = inner
    rows, nodes = [], []
    row, node = np.arange(len(leaves)), leaves.astype(np.int64)
    while len(node):
        rows.append(row)
        nodes.append(node)
        above = parent[node]
        row, node = row[above >= 0], above[above >= 0]
    row, node = np.concatenate(rows), np.concatenate(nodes)
    path = sparse.csr_matrix((np.ones(len(row), np.int64), (row, node)), shape=(len(leaves), tree.node_count))
    path.sort_indices()
    return path
