"""The threshold of any scorer, set by π."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from pulib._base import PRIOR_CONSTRAINT
from pulib._known_negatives import UNLABELED_LABEL_CONSTRAINT
from pulib._threshold import THRESHOLD_CONSTRAINTS, PriorThresholdMixin
from pulib.reductions._base import BaseReduction, positive_score


class PUThresholdClassifier(PriorThresholdMixin, BaseReduction):
    """Any scorer, with the threshold at which a share π is called positive.

    Like scikit-learn's ``TunedThresholdClassifierCV``, but for PU data: the threshold is set on cross-fitted scores of the
    training rows, never on scores of rows that the scorer was fitted to, and needs no negative labels.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Fitted to labels 1 (labeled) and 0; a PU learner of pulib or any other classifier.  None means 100 extra trees.
    prior : float in (0, 1) or None, default=None
        π, the share of positives in the population; None estimates it from the same cross-fitted scores (best bin).
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows represent the population, or the labeled and unlabeled rows together do.
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows (NaN for missing labels) if ``y`` also contains known negatives: 0 for labels 1, 0 and
        -1.  ``classes_`` is then [negative, positive].  None: there are no known negatives.

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
    ElkanNotoClassifier : Corrects probabilities by the label frequency.
    PUCalibratedClassifier : Calibrates probabilities without negatives.

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
        **BaseReduction._parameter_constraints,
        **THRESHOLD_CONSTRAINTS,
        "unlabeled_label": UNLABELED_LABEL_CONSTRAINT,
        "prior": PRIOR_CONSTRAINT,
    }

    _cross_fits = True

    def __init__(
        self,
        estimator: Any = None,
        *,
        prior: float | None = None,
        scenario: str = "two_sample",
        pos_label: Any = None,
        unlabeled_label: Any = None,
    ) -> None:
        self.estimator = estimator
        self.prior = prior
        self.scenario = scenario
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label

    def _fit(
        self,
        X: Any,
        positive: np.ndarray,
        weights: np.ndarray | None,
        apart: np.ndarray | None = None,
        negative: np.ndarray | None = None,
    ) -> None:
        self.estimator_ = self._fit_base(X, positive, negative)
        base, known = self._base_and_negatives(negative)
        scores = self._held_out_scores_of_base(base, X, positive, positive_score, apart, known)
        self._set_threshold(X, positive, scores, weights=weights)

    def _fit_beside(self, X: Any, positive: np.ndarray, weights: np.ndarray | None, negative: np.ndarray) -> None:
        """An ordinary base takes them for negative, as all that is not labeled; of two samples they are no part."""
        self._fit(X, positive, weights, None if self.scenario == "one_sample" else negative, negative)

    def _probability(self, X: Any) -> np.ndarray:
        return self._probabilities_by_prior(X)[:, 1]
