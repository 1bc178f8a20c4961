"""The naive classifier: unlabeled rows as negatives."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import HasMethods

from pulib._labels import POS_LABEL_CONSTRAINT
from pulib._threshold import THRESHOLD_CONSTRAINTS, PriorThresholdMixin, cross_fitted_scores
from pulib._typing import ArrayLike, MatrixLike
from pulib.reductions._base import BaseReduction, positive_probability, positive_score


class NaivePUClassifier(PriorThresholdMixin, BaseReduction):
    """Any classifier, trained as if unlabeled rows were negative.

    The baseline that every PU method has to beat, and a good ranker by itself: where labels are missing at random, the
    probability of being labeled grows with that of being positive.

    Parameters
    ----------
    estimator : classifier or None, default=None
        None means 100 extra trees with a fixed seed, as in the PU extra trees paper (NaivePUET).
    pos_label : number, str, bool or None, default=None
        The label of labeled positives, for labels that do not tell (1/0, 1/-1, True/False, and 1 beside missing values do).
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
        four fifths.  What to rank one's own unlabeled rows by: the base's own scores of these say that they were unlabeled.
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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "pos_label": POS_LABEL_CONSTRAINT,
        **THRESHOLD_CONSTRAINTS,
        "oob_score": ["boolean"],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        pos_label: Any = None,
        prior: float | str | None = None,
        scenario: str = "two_sample",
        oob_score: bool = False,
    ) -> None:
        self.estimator = estimator
        self.pos_label = pos_label
        self.prior = prior
        self.scenario = scenario
        self.oob_score = oob_score

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
        positive = self._labeled_rows(X, y)
        self.estimator_ = self._fit_base(X, positive)
        self.__dict__.pop("oob_decision_function_", None)
        held_out = None
        if self.oob_score or self.prior is not None:
            held_out = cross_fitted_scores(self._base(), X, positive, positive_score)
        self._set_threshold(X, positive, None if self.prior is None else held_out)
        if self.oob_score and held_out is not None:
            self.oob_decision_function_ = self._above_threshold(held_out)
        return self

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """The base's ``decision_function``, or its probability of the positive label less 0.5, above the threshold.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples,)
            Above 0 for positive.
        """
        return self._above_threshold(positive_score(self._fitted(), X))

    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """The base's probabilities of being unlabeled and labeled (votes of 0 or 1 where it has none), or by ``prior``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        probabilities : array of shape (n_samples, 2)
        """
        if hasattr(self, "threshold_"):
            return self._probabilities_by_prior(X)
        p = positive_probability(self._fitted(), X)
        return np.column_stack([1.0 - p, p])

    @property
    def feature_importances_(self) -> np.ndarray:
        return self.estimator_.feature_importances_
