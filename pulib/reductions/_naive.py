"""The naive classifier: unlabeled rows as negatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulib.reductions._base import HeldOutReduction, positive_score


class NaivePUClassifier(HeldOutReduction):
    """Any classifier, trained as if unlabeled rows were negative.

    The baseline that every PU method has to beat, and a good ranker by itself: where labels are missing at random, the
    probability of being labeled grows with that of being positive.

    Parameters
    ----------
    estimator : classifier or None, default=None
        None means 100 extra trees with a fixed seed, as in the PU extra trees paper (NaivePUET).
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows (NaN for missing labels) where ``y`` holds known negatives as well: 0 for labels 1, 0 and
        -1.  ``classes_`` are then negative and positive.  None says that there are none.
    prior : float in (0, 1), "estimate" or None, default=None
        π, the share of positives in the population: the threshold is then set so that this share of it is called positive
        ("estimate" has π estimated from the same held-out scores), and probabilities are one half there.  None leaves the
        threshold of "labeled or not", which ranks alike and calls few rows positive.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows stand for the population, or the labeled and unlabeled rows together.  Used with ``prior``.
    oob_score : bool, default=False
        Keep scores of the training rows by models that have not seen them.

    Attributes
    ----------
    estimator_ : classifier
        The fitted base; its labels are 1 (labeled) and 0 (unlabeled).
    classes_ : array of shape (2,)
    n_features_in_ : int
    prior_, threshold_, slope_ : float
        π, the threshold (subtracted from the base's scores), and the slope of the log-odds above it; with ``prior`` only.
    oob_decision_function_ : array of shape (n_samples,)
        With ``oob_score``: ``decision_function`` of each row by a base that was fitted to the other
        four fifths (NaN where its weight is 0).  What to rank one's own unlabeled rows by: the base's own scores of these say
        that they were unlabeled.
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

    def __init__(
        self,
        estimator: Any = None,
        *,
        pos_label: Any = None,
        prior: float | str | None = None,
        scenario: str = "two_sample",
        oob_score: bool = False,
        unlabeled_label: Any = None,
    ) -> None:
        self.estimator = estimator
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label
        self.prior = prior
        self.scenario = scenario
        self.oob_score = oob_score

    def _fit(self, X: Any, positive: np.ndarray, weights: np.ndarray | None, apart: np.ndarray | None = None) -> None:
        self.estimator_ = self._fit_base(X, positive)
        scores = None
        if self._holds_out():
            scores = self._held_out_scores_of_base(self._base(), X, positive, positive_score, apart)
        self._keep_held_out(X, positive, weights, scores)

    def _fit_beside(self, X: Any, positive: np.ndarray, weights: np.ndarray | None, negative: np.ndarray) -> None:
        """The base takes them for negative, as all that is not labeled; of two samples they are no part."""
        self._fit(X, positive, weights, None if self.scenario == "one_sample" else negative)

    @property
    def feature_importances_(self) -> np.ndarray:
        return self.estimator_.feature_importances_
