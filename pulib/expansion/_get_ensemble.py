"""GetEnsemble: decision trees whose positive class grows, step by step, into the leaves where it has the majority."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval

from pulib._base import PUClassifierMixin
from pulib._known_negatives import UNLABELED_LABEL_CONSTRAINT
from pulib._labels import POS_LABEL_CONSTRAINT
from pulib._random import draw_seeds, seed_estimator
from pulib._single import WIDE, SingleMixin
from pulib._threshold import THRESHOLD_CONSTRAINTS, PriorThresholdMixin
from pulib._typing import ArrayLike, MatrixLike, RandomState


def grow_chain(tree: Any, X: np.ndarray, positive: np.ndarray, n_expansions: int, rng: np.random.RandomState) -> list:
    """Train trees on one bootstrap sample; each one relabels its negatives in positive leaves for the next."""
    n = len(X)
    sample = rng.randint(0, n, size=n)
    # if the sample lacks a class, a row of that class replaces the first one
    for missing in (True, False):
        if not np.any(positive[sample] == missing):
            sample[0] = rng.choice(np.flatnonzero(positive == missing))
    labels = positive[sample].copy()
    rows = X[sample]
    trees = []
    for _ in range(n_expansions):
        grown = clone(tree)
        seed_estimator(grown, rng.randint(np.iinfo(np.int32).max))
        grown.fit(rows, labels)
        trees.append(grown)
        covered = ~labels & (positive_share(grown, rows) > 0.5)
        if not covered.any():
            break
        labels |= covered
        if labels.all():
            break
    return trees


def positive_share(tree: Any, X: np.ndarray) -> np.ndarray:
    """Share of positives in the rows' leaves."""
    return tree.predict_proba(X)[:, list(tree.classes_).index(True)]


class GetEnsembleClassifier(PriorThresholdMixin, SingleMixin, PUClassifierMixin, BaseEstimator):
    """Ensemble of gradually expanded trees.

    A tree is trained, and negatives in leaves with more positives than negatives are relabeled as positive; this repeats until
    nothing changes.  Rows that are relabeled early are likely to turn positive early, so the mean over all trees ranks them.
    The paper defines one such chain; here, each member of the ensemble is a chain on a bootstrap sample.

    Parameters
    ----------
    n_estimators : int, default=10
        Number of chains.
    n_expansions : int, default=10
        Maximum number of trees per chain.
    estimator : classifier or None, default=None
        The tree; None is a decision tree with at least two rows per leaf (like WEKA's J48) that tries every feature at each
        split, pruned by cost complexity with ``ccp_alpha=0.005``.
    random_state : int, RandomState instance or None, default=None
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows, needed with ``pos_label`` unless it is missing.
    prior : float in (0, 1), "estimate" or None, default=None
        π, the share of positives in the population.  If given, the threshold is set on cross-fitted scores of the training
        rows, so that this share of the population is predicted positive.  "estimate" estimates π from the same scores.  None
        keeps the learner's own threshold.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows represent the population, or the labeled and unlabeled rows together do.  Used with
        ``prior``.

    Attributes
    ----------
    estimators_ : list of lists of trees, one per chain
    classes_ : array of shape (2,)
    n_features_in_ : int
    prior_, threshold_, slope_ : float
        π, the threshold, and the slope of the log-odds above it; only with ``prior``.
    prior_estimate_ : PriorEstimate
        π with its interval, if ``fit`` estimated it.

    References
    ----------
    Yu, Zhan, Liu, Li and Zhou, Predicting future customers via ensembling gradually expanded trees (2007), as described in
    section 3 of Yu and Zhou (2010).

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import GetEnsembleClassifier
    >>> X = np.arange(20.0)[:, None]
    >>> y = np.arange(20) > 14
    >>> GetEnsembleClassifier(random_state=0).fit(X, y).predict(X[[0, 19]])
    array([False,  True])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "n_expansions": [Interval(Integral, 1, None, closed="left")],
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "random_state": ["random_state"],
        "pos_label": POS_LABEL_CONSTRAINT,
        "unlabeled_label": UNLABELED_LABEL_CONSTRAINT,
        **THRESHOLD_CONSTRAINTS,
    }

    def __init__(
        self,
        n_estimators: int = 10,
        *,
        n_expansions: int = 10,
        estimator: Any = None,
        random_state: RandomState = None,
        pos_label: Any = None,
        prior: float | str | None = None,
        scenario: str = "two_sample",
        unlabeled_label: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_expansions = n_expansions
        self.estimator = estimator
        self.random_state = random_state
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label
        self.prior = prior
        self.scenario = scenario

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: MatrixLike, y: ArrayLike) -> GetEnsembleClassifier:
        """Grow the chains.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels at training time: 1 for positives and 0 for others, or as ``pos_label`` says.

        Returns
        -------
        self
        """
        X, positive = self._validate_fit(X, y, dtype=WIDE)
        X = self._fit_single(X)
        tree = DecisionTreeClassifier(min_samples_leaf=2, ccp_alpha=0.005) if self.estimator is None else self.estimator
        seeds = draw_seeds(check_random_state(self.random_state), self.n_estimators)
        self.estimators_ = [
            grow_chain(tree, X, positive, self.n_expansions, np.random.RandomState(int(seed) & 0xFFFFFFFF)) for seed in seeds
        ]
        self._set_threshold(X, positive)
        return self

    def _mean_share(self, X: MatrixLike) -> np.ndarray:
        X = self._validate_single(X)
        chains = [np.mean([positive_share(tree, X) for tree in chain], axis=0) for chain in self.estimators_]
        return np.mean(chains, axis=0)

    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Mean share of positives in the rows' leaves, or class probabilities if ``prior`` sets the threshold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        probabilities : array of shape (n_samples, 2)
        """
        if hasattr(self, "threshold_"):
            return self._probabilities_by_prior(X)
        share = self._mean_share(X)
        return np.column_stack([1.0 - share, share])

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Mean share of positives minus 1/2, and minus ``threshold_`` if ``prior`` sets one.

        Rows with higher scores are expected to turn positive earlier.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples,)
        """
        return self._above_threshold(self._mean_share(X) - 0.5)
