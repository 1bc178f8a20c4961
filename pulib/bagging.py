"""Reductions of PU learning to ordinary classification: unlabeled rows as negatives, at once or in bags."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, _fit_context, clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.tree import BaseDecisionTree, ExtraTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.parallel import Parallel, delayed

from pulib._base import PUClassifierMixin
from pulib._random import draw_seeds, seed_estimator
from pulib._typing import ArrayLike, MatrixLike, RandomState

__all__ = ["NaivePUClassifier", "PUBaggingClassifier"]

# Seeds of scikit-learn's estimators are below 2**31 on every platform.
_SEED_SHIFT = np.uint64(33)
# Bags per task when predicting: fixed, so that sums are added in the same order for any n_jobs.
_CHUNK = 8


def _check_params(estimator: Any) -> dict[str, Any]:
    """How strictly X is checked: as the base estimator allows."""
    tags = get_tags(estimator).input_tags
    return {
        "accept_sparse": ["csr", "csc"] if tags.sparse else False,
        "ensure_all_finite": "allow-nan" if tags.allow_nan else True,
    }


def _positive_margin(estimator: Any, X: Any) -> np.ndarray:
    """Scores above 0 for positive, from what the base estimator offers."""
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(X), dtype=np.float64)
    if hasattr(estimator, "predict_proba"):
        return _positive_probability(estimator, X) - 0.5
    return estimator.predict(X).astype(np.float64) - 0.5


def _positive_probability(estimator: Any, X: Any) -> np.ndarray:
    if hasattr(estimator, "predict_proba"):
        return estimator.predict_proba(X)[:, list(estimator.classes_).index(1)]
    return (estimator.predict(X) == 1).astype(np.float64)


class _BaseReduction(MetaEstimatorMixin, PUClassifierMixin, BaseEstimator):
    def _base(self) -> Any:
        return self._default_estimator() if self.estimator is None else self.estimator

    def _checked_fit(self, X: MatrixLike, y: ArrayLike) -> tuple[Any, Any, np.ndarray]:
        """The base estimator, X as it takes it, and which rows are labeled positive."""
        base = self._base()
        X, positive = self._validate_fit(X, y, **_check_params(base))
        return base, X, positive

    def _checked_rows(self, X: MatrixLike) -> Any:
        return self._validate_predict(X, **_check_params(self._base()))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        base = get_tags(self._base()).input_tags
        tags.input_tags.sparse = base.sparse
        tags.input_tags.allow_nan = base.allow_nan
        return tags


class NaivePUClassifier(_BaseReduction):
    """Any classifier, trained as if unlabeled rows were negative.

    The baseline that every PU method has to beat, and a good ranker by itself: where labels are missing at random, the
    probability of being labeled grows with that of being positive.

    Parameters
    ----------
    estimator : classifier or None, default=None
        None means 100 extra trees with a fixed seed, as in the PU extra trees paper (NaivePUET).

    Attributes
    ----------
    estimator_ : classifier
        The fitted base; its labels are 1 (labeled) and 0 (unlabeled).
    classes_ : array of shape (2,)
    n_features_in_ : int
    feature_importances_ : array of shape (n_features,)
        Where the base has them.

    References
    ----------
    Wilton et al., Positive-unlabeled learning using random forests via recursive greedy risk minimization (NeurIPS 2022),
    section 5.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from pulib import NaivePUClassifier
    >>> X = np.array([[-2.0], [-1.0], [-1.5], [1.0], [2.0], [1.5]])
    >>> y = [0, 0, 0, 0, 1, 1]
    >>> naive = NaivePUClassifier(LogisticRegression()).fit(X, y)
    >>> naive.predict(X)  # the positive in the fourth row is lost,
    array([0, 0, 0, 0, 1, 1])
    >>> np.argsort(naive.decision_function(X))  # but ranked next to the labeled ones
    array([0, 2, 1, 3, 5, 4])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {"estimator": [HasMethods(["fit", "predict"]), None]}

    def __init__(self, estimator: Any = None) -> None:
        self.estimator = estimator

    @staticmethod
    def _default_estimator() -> Any:
        return ExtraTreesClassifier(100, random_state=0)

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: MatrixLike, y: ArrayLike) -> NaivePUClassifier:
        """Fit the base estimator to "labeled or not".

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            PU labels.

        Returns
        -------
        self : object
        """
        base, X, positive = self._checked_fit(X, y)
        self.estimator_ = clone(base).fit(X, positive.astype(np.intp))
        return self

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """The base's ``decision_function``, or its probability of the positive label less 0.5.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples,)
            Above 0 for positive.
        """
        X = self._checked_rows(X)  # first: it says so where the estimator is not fitted
        return _positive_margin(self.estimator_, X)

    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """The base's probabilities of being unlabeled and labeled (votes of 0 or 1 where it has none).

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        probabilities : array of shape (n_samples, 2)
        """
        X = self._checked_rows(X)
        p = _positive_probability(self.estimator_, X)
        return np.column_stack([1.0 - p, p])

    @property
    def feature_importances_(self) -> np.ndarray:
        return self.estimator_.feature_importances_


class PUBaggingClassifier(_BaseReduction):
    """Bagging for PU data: each member learns all labeled positives against a bootstrap draw of the unlabeled rows.

    Scores are averages over members, so that a positive among the unlabeled rows, which misleads the members that drew it,
    is outvoted by the others.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What to train on each bag.  None means a fully grown extra tree that looks at ``sqrt(n_features)`` features per split,
        as in the PU extra trees paper (PUBaggingET).
    n_estimators : int, default=100
        Number of bags.
    max_samples : int, float or "n_positive", default=1.0
        Unlabeled rows drawn per bag, with replacement: a number, a share of their count, or as many as there are labeled
        positives (Mordelet and Vert's choice).
    n_jobs : int or None, default=None
        Threads.  The result never depends on them.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    estimators_ : list of classifiers
    classes_ : array of shape (2,)
    n_features_in_ : int
    feature_importances_ : array of shape (n_features,)
        Mean over members, where the base has them.

    References
    ----------
    Mordelet and Vert, A bagging SVM to learn from positive and unlabeled examples (Pattern Recognition Letters, 2014),
    algorithm 1; Wilton et al. (NeurIPS 2022), section 5.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import roc_auc_score
    >>> from pulib import PUBaggingClassifier
    >>> X, truth = load_breast_cancer(return_X_y=True)
    >>> y = truth.copy()
    >>> y[::2] = 0  # half of the rows lose their label
    >>> model = PUBaggingClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> bool(roc_auc_score(truth[::2], model.decision_function(X[::2])) > 0.95)
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_samples": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, None, closed="neither"),
            StrOptions({"n_positive"}),
        ],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        *,
        max_samples: float | int = 1.0,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.n_jobs = n_jobs
        self.random_state = random_state

    @staticmethod
    def _default_estimator() -> Any:
        return ExtraTreeClassifier(max_features="sqrt")

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: MatrixLike, y: ArrayLike) -> PUBaggingClassifier:
        """Fit one base estimator per bag.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            PU labels.

        Returns
        -------
        self : object
        """
        base, X, positive = self._checked_fit(X, y)
        if hasattr(X, "tocsr"):
            X = X.tocsr()  # rows are drawn
        elif isinstance(base, BaseDecisionTree):
            X = np.ascontiguousarray(X, dtype=np.float32)  # once, instead of once per tree
        labeled, unlabeled = np.flatnonzero(positive), np.flatnonzero(~positive)
        n_drawn = self._n_drawn(len(labeled), len(unlabeled))
        seeds = draw_seeds(self.random_state, self.n_estimators)
        self.estimators_ = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(_fit_bag)(base, X, labeled, unlabeled, n_drawn, seed) for seed in seeds
        )
        return self

    def _n_drawn(self, n_labeled: int, n_unlabeled: int) -> int:
        if self.max_samples == "n_positive":
            return n_labeled
        if isinstance(self.max_samples, Integral):
            return int(self.max_samples)
        return max(1, round(self.max_samples * n_unlabeled))

    def _mean_probability(self, X: Any) -> np.ndarray:
        X = self._checked_rows(X)
        members = self.estimators_
        chunks = [members[i : i + _CHUNK] for i in range(0, len(members), _CHUNK)]
        sums = Parallel(n_jobs=self.n_jobs, prefer="threads")(delayed(_sum_probabilities)(chunk, X) for chunk in chunks)
        return np.sum(sums, axis=0) / len(members)

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Mean probability over members (share of votes where the base has none), less 0.5.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples,)
            Above 0 for positive.
        """
        return self._mean_probability(X) - 0.5

    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Mean probabilities over members.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        probabilities : array of shape (n_samples, 2)
        """
        p = self._mean_probability(X)
        return np.column_stack([1.0 - p, p])

    @property
    def feature_importances_(self) -> np.ndarray:
        return np.mean([member.feature_importances_ for member in self.estimators_], axis=0)


def _takes_weights(estimator: Any) -> bool:
    """Whether a bag may be told by weights, as scikit-learn's forests do, which spares the copy of its rows.

    Trees that balance classes do so over all rows that they are given, those of weight 0 too: they get copies.
    """
    return isinstance(estimator, BaseDecisionTree) and getattr(estimator, "class_weight", None) != "balanced"


def _fit_bag(base: Any, X: Any, labeled: np.ndarray, unlabeled: np.ndarray, n_drawn: int, seed: np.uint64) -> Any:
    rng = np.random.RandomState(np.uint32(seed & np.uint64(0xFFFFFFFF)))
    drawn = unlabeled[rng.randint(len(unlabeled), size=n_drawn)]
    member = clone(base)
    seed_estimator(member, int(seed >> _SEED_SHIFT))
    if _takes_weights(base):
        weight = np.bincount(drawn, minlength=X.shape[0]).astype(np.float64)
        weight[labeled] = 1.0
        y = np.zeros(X.shape[0], dtype=np.intp)
        y[labeled] = 1
        return member.fit(X, y, sample_weight=weight)
    rows = np.concatenate([labeled, drawn])
    y = np.zeros(len(rows), dtype=np.intp)
    y[: len(labeled)] = 1
    return member.fit(X[rows], y)


def _sum_probabilities(members: list[Any], X: Any) -> np.ndarray:
    total = _positive_probability(members[0], X)
    for member in members[1:]:
        total = total + _positive_probability(member, X)
    return total
