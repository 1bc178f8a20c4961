"""The threshold of any scorer, set by π."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from pulib._labels import POS_LABEL_CONSTRAINT
from pulib._threshold import PriorThresholdMixin, cross_fitted_scores
from pulib._typing import ArrayLike, MatrixLike
from pulib.reductions._base import BaseReduction, positive_score


class PUThresholdClassifier(PriorThresholdMixin, BaseReduction):
    """Any scorer with the threshold at which the share called positive is π.

    In the manner of scikit-learn's ``TunedThresholdClassifierCV``, but for PU data: the cut is set on cross-fitted scores of
    the training rows, never on scores of rows that the scorer was fitted to, and no negative label is needed.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Fitted to labels 1 (labeled) and 0; a PU learner of pulib or any other classifier.  None means 100 extra trees.
    prior : float in (0, 1) or None, default=None
        π, the share of positives in the population; None has it estimated from the same cross-fitted scores (best bin).
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows stand for the population, or the labeled and unlabeled rows together.
    pos_label : number, str, bool or None, default=None
        The label of labeled positives, for labels that do not tell (1/0, 1/-1, True/False, and 1 beside missing values do).

    Attributes
    ----------
    estimator_ : classifier
        Fitted to all rows.
    prior_, threshold_, slope_ : float
        π, the threshold (subtracted from the base's scores), and the slope of the log-odds above it.
    classes_ : array of shape (2,)
    n_features_in_ : int

    See Also
    --------
    ElkanNotoClassifier : Corrects probabilities by the labeling frequency.
    PUCalibratedClassifier : Calibrates probabilities without a negative.

    References
    ----------
    Elkan and Noto, Learning classifiers from only positive and unlabeled data (KDD 2008); Garg et al., Mixture proportion
    estimation and PU learning: a modern approach (NeurIPS 2021), for the estimate of π.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from pulib import PUThresholdClassifier
    >>> rng = np.random.default_rng(0)
    >>> truth = np.r_[np.ones(100, bool), rng.random(900) < 0.4]
    >>> X = rng.normal(size=(1000, 2)) + np.where(truth, 1.5, -1.5)[:, None]
    >>> y = np.r_[np.ones(100), np.zeros(900)]
    >>> model = PUThresholdClassifier(LogisticRegression(), prior=0.4).fit(X, y)
    >>> bool(0.37 < np.mean(model.predict(X[100:])) < 0.43)
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "prior": [Interval(Real, 0, 1, closed="neither"), None],
        "scenario": [StrOptions({"two_sample", "one_sample"})],
        "pos_label": POS_LABEL_CONSTRAINT,
    }

    _cross_fits = True

    def __init__(
        self,
        estimator: Any = None,
        *,
        prior: float | None = None,
        scenario: str = "two_sample",
        pos_label: Any = None,
    ) -> None:
        self.estimator = estimator
        self.prior = prior
        self.scenario = scenario
        self.pos_label = pos_label

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: MatrixLike, y: ArrayLike) -> PUThresholdClassifier:
        """Fit the base, and set the threshold.

        Parameters
        ----------
        X : rows of any kind that the base takes
        y : array-like of shape (n_samples,)
            PU labels: 1 for labeled positives and 0 for unlabeled rows, or as ``pos_label`` says.

        Returns
        -------
        self : object
        """
        positive = self._labeled_rows(X, y)
        self.estimator_ = self._fit_base(X, positive)
        self._set_threshold(X, positive, cross_fitted_scores(self._base(), X, positive, positive_score))
        return self

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """The base's scores above the threshold.

        Parameters
        ----------
        X : rows of any kind that the base takes

        Returns
        -------
        scores : array of shape (n_samples,)
        """
        return self._above_threshold(positive_score(self._fitted(), X))

    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Probabilities of the classes: one half at the threshold, with the slope of the least logistic PU risk.

        Parameters
        ----------
        X : rows of any kind that the base takes

        Returns
        -------
        probabilities : array of shape (n_samples, 2)
        """
        self._fitted()
        return self._probabilities_by_prior(X)
