"""Thresholds of any scorer, set by π or by a target."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.special import expit

from pulib._base import PRIOR_CONSTRAINT
from pulib._folds import held_out_in
from pulib._threshold import THRESHOLD_CONSTRAINTS, PriorThresholdMixin
from pulib._warnings import issue_warning
from pulib._weights import ones_for_none
from pulib.metrics._intervals import prior_draws
from pulib.metrics._tally import Sample
from pulib.reductions._base import BaseReduction, positive_score
from pulib.reductions._targets import CLOSE, DRAWS, Cuts, Target, check_target, interval


class PUThresholdClassifier(PriorThresholdMixin, BaseReduction):
    """Any scorer, with a threshold that predicts a share π positive or reaches a target precision, recall, count or cost.

    Like scikit-learn's ``TunedThresholdClassifierCV``, but without negative labels.  The threshold is set on cross-fitted
    scores of the training rows.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Fitted to labels 1 (labeled) and 0; a PU learner of pulib or any other classifier.  None means 100 extra trees.
    prior : float in (0, 1) or None, default=None
        Class prior π, the share of positives in the population.  None estimates it from the cross-fitted scores (best bin).
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows represent the population, or the labeled and unlabeled rows together do.
    cv : int, splitter, iterable of (train, test) or None, default=5
        Folds of the cross-fitted scores.  They must hold out each row once, as those of :class:`~pulib.PUGroupKFold` do.
    target : tuple or None, default=None
        Target of the threshold, estimated from PU labels.  None predicts a share π positive.

        - ``("precision", p)``: the lowest threshold with at least this precision.
        - ``("recall", r)``: the highest threshold with at least this recall.
        - ``("rows", k)``: predict k rows of the population positive, or a share k < 1 of it.
        - ``("cost", (fp, fn))``: the least cost if a false positive costs fp and a missed positive costs fn.
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
    prior_estimate_ : PriorEstimate
        π with its interval, if ``fit`` estimated it.
    target_estimate_ : float
        With ``target``, the estimated precision, recall, share of rows or cost per row at the threshold.
    target_interval_ : tuple of two floats
        With ``target``, a 95% interval of this value in the population, over draws of the rows (or groups) and, if π was
        estimated, of π within its interval.  It is wide if labels are few.  In simulations with an estimated π and at least 30
        labels, coverage was 87 to 100%.  For a share of rows, the interval is too narrow (coverage 82 to 97%), since the model
        fitted to all rows predicts slightly more or fewer positives than the models of the folds.
    classes_ : array of shape (2,)
    n_features_in_ : int

    Warns
    -----
    PUWarning
        If no threshold is estimated to reach the target precision.  The threshold with the greatest precision is then used.

    Notes
    -----
    To estimate precision and cost, recall is smoothed to a concave function of the share of rows.  A precision counts only if
    at least ten labeled rows score higher.  The best of many thresholds looks better than it is; resampling shows by how much,
    and the target precision is raised accordingly.  Probabilities do not depend on ``target``: they are one half at the
    threshold set by π.

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
    >>> print(f"{np.mean(model.predict(X[100:])):.0%} of the unlabeled rows called positive")
    40% of the unlabeled rows called positive
    >>> model.set_params(target=("recall", 0.9)).fit(X, y).predict(X[truth]).mean().round(1)
    np.float64(0.9)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseReduction._parameter_constraints,
        **THRESHOLD_CONSTRAINTS,
        "prior": PRIOR_CONSTRAINT,
        "cv": ["cv_object"],
        "target": [tuple, list, None],
    }

    _cross_fits = True

    def __init__(
        self,
        estimator: Any = None,
        *,
        prior: float | None = None,
        scenario: str = "two_sample",
        cv: Any = 5,
        target: tuple[str, Any] | None = None,
        pos_label: Any = None,
        unlabeled_label: Any = None,
    ) -> None:
        self.estimator = estimator
        self.prior = prior
        self.scenario = scenario
        self.cv = cv
        self.target = target
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label

    def _fit(self, X: Any, positive: np.ndarray, weights: np.ndarray | None) -> None:
        target = None if self.target is None else check_target(self.target)
        self.estimator_ = self._fit_base(X, positive, self._negative)
        base, known = self._base_and_negatives(self._negative)
        folds = held_out_in(self.cv, X, positive, self._groups)
        unsampled = self._unsampled_negatives(self.scenario)
        scores = self._held_out_scores_of_base(base, X, positive, positive_score, unsampled, known, folds)
        self._set_threshold(X, positive, scores, weights=weights)
        for name in ("target_interval_", "target_estimate_", "_above_prior"):
            self.__dict__.pop(name, None)  # of an earlier fit
        if target is not None:
            self._aim(target, scores, positive, weights)

    def _aim(self, target: Target, scores: np.ndarray, positive: np.ndarray, weights: np.ndarray | None) -> None:
        """Replace the threshold set by π with that of the target."""
        known = np.isfinite(scores)
        scores, positive, weighed = scores[known], positive[known], ones_for_none(weights, len(known))[known]
        counted = np.ones(len(scores), bool) if self.scenario == "one_sample" else ~positive
        if target.kind == "rows" and target.value > weighed[counted].sum():
            raise ValueError(f"target={self.target!r}, but the population has {weighed[counted].sum():g} rows; expected fewer.")
        cuts, by_prior = Cuts(scores, positive, counted), self.threshold_
        groups, rng = None if self._groups is None else self._groups[known], np.random.default_rng(0)
        self.threshold_, self.target_estimate_ = cuts.aim(target, self.prior_, weighed, groups, rng)
        priors = prior_draws(getattr(self, "prior_estimate_", self.prior_), DRAWS, rng)
        called = (scores <= self.threshold_).astype(np.intp)  # index 0 means positive
        sample = Sample(np.array([1, 0]), called, positive, None if weights is None else weighed, groups)
        low, high = interval(target, sample, priors, self.scenario, rng)
        self.target_interval_ = min(low, self.target_estimate_), max(high, self.target_estimate_)
        self._above_prior = self.threshold_ - by_prior
        if target.kind == "precision" and self.target_estimate_ < target.value - CLOSE:
            issue_warning(
                f"{type(self).__name__}: no threshold reaches target={self.target!r}: with {self._prior_text()}, the greatest"
                f" precision is estimated at {self.target_estimate_:.3g} (where at least ten labeled rows score higher), and"
                " its threshold is used. Ask for less, or use an estimator that ranks better."
            )

    def _probability(self, X: Any) -> np.ndarray:
        if self.target is None:
            return self._probabilities_by_prior(X)[:, 1]
        return expit(self.slope_ * (self.decision_function(X) + self._above_prior))

    def _class_share_warning(self, predicted: np.ndarray) -> str:
        """Do not compare predictions with π if a target implies another share of positives."""
        return super()._class_share_warning(predicted) if self.target is None else ""
