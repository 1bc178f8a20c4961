"""The naive classifier, which treats unlabeled rows as negatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulib.reductions._base import HeldOutReduction, positive_score


class NaivePUClassifier(HeldOutReduction):
    """Any classifier, trained as if unlabeled rows were negative.

    This is the baseline for every PU method.  It ranks well if labels are missing at random, because the probability of being
    labeled then grows with that of being positive.

    Parameters
    ----------
    estimator : classifier or None, default=None
        None means 100 extra trees with a fixed seed, as in the PU Extra Trees paper (NaivePUET).
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows (NaN for missing labels) if ``y`` also contains known negatives: 0 for labels 1, 0 and
        -1.  ``classes_`` is then [negative, positive].  None: there are no known negatives.
    prior : float in (0, 1), "estimate" or None, default=None
        Class prior π.  It sets the threshold so that a share π of the population is predicted positive, with probability one
        half at the threshold.  "estimate" estimates π from held-out scores.  None keeps the threshold that separates labeled
        from unlabeled rows; the ranking is the same, but few rows are predicted positive.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows represent the population, or the labeled and unlabeled rows together do.  Used with
        ``prior``.
    oob_score : bool, default=False
        Whether to score the training rows with models that have not seen them.

    Attributes
    ----------
    estimator_ : classifier
        The fitted base; its labels are 1 (labeled) and 0 (unlabeled).
    classes_ : array of shape (2,)
    n_features_in_ : int
    prior_, threshold_, slope_ : float
        π, the threshold (subtracted from the base's scores), and the slope of the log-odds above it; with ``prior`` only.
    prior_estimate_ : PriorEstimate
        π with its interval, if ``fit`` estimated it.
    oob_decision_function_ : array of shape (n_samples,)
        With ``oob_score``: ``decision_function`` of each row by a base fitted to the other four fifths (NaN if its weight is
        0).  Use it to rank the training rows: ``estimator_`` has learned which of them are unlabeled.
    feature_importances_ : array of shape (n_features,)
        Only if the base has them.

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

    def _fit(self, X: Any, positive: np.ndarray, weights: np.ndarray | None) -> None:
        self.estimator_ = self._fit_base(X, positive)
        scores = None
        if self._holds_out():
            unsampled = self._unsampled_negatives(self.scenario)
            scores = self._held_out_scores_of_base(self._base(), X, positive, positive_score, unsampled)
        self._keep_held_out(X, positive, weights, scores)

    def _selects_rows(self) -> bool:
        return self._holds_out()

    @property
    def feature_importances_(self) -> np.ndarray:
        return self.estimator_.feature_importances_
