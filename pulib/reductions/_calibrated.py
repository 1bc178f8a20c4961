"""Calibration of probabilities without negatives."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils._param_validation import StrOptions

from pulib._base import PRIOR_CONSTRAINT
from pulib._calibration import CALIBRATIONS
from pulib._priors._held_out import prior_from_scores
from pulib._threshold import THRESHOLD_CONSTRAINTS
from pulib._warnings import issue_warning, prior_warning
from pulib._weights import of_rows
from pulib.metrics._scorer import own_attribute
from pulib.reductions._base import BaseReduction, last_step, positive_score


class PUCalibratedClassifier(BaseReduction):
    """Calibrated probabilities of any scorer, from held-out PU rows and π alone.

    ``CalibratedClassifierCV`` would treat unlabeled rows as negatives.  This class maps cross-fitted scores to probabilities by
    the increasing function with the least unbiased PU estimate of the squared loss, E[p²] - 2 π E_P[p] (over the population and
    over the positives), or by the sigmoid with the least estimate of the logistic loss.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Fitted to labels 1 and 0; a PU learner of pulib or any other classifier.  None means 100 extra trees.  A model in
        scikit-learn's ``FrozenEstimator`` is not refitted; it is calibrated on the rows of ``fit``, which may come from
        another population.
    prior : float in (0, 1) or None, default=None
        Class prior π.  None uses the fitted estimator's ``prior_`` or, if it has none or is frozen, the best-bin estimate from
        the same scores.
    scenario : {"two_sample", "one_sample"} or None, default=None
        None uses the estimator's (of a pipeline its last step's), or "two_sample" if it has none.
    method : {"isotonic", "sigmoid"}, default="isotonic"
        Any increasing function, or a sigmoid of the score, which suits fewer than a few hundred labels.
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows (NaN for missing labels) if ``y`` also contains known negatives: 0 for labels 1, 0 and
        -1.  ``classes_`` is then [negative, positive].  None: there are no known negatives.

    Attributes
    ----------
    estimator_ : classifier
        Fitted to all rows.
    prior_, threshold_ : float
        π, and the score above which the probability exceeds one half.
    prior_estimate_ : PriorEstimate
        π with its interval, if ``fit`` estimated it.
    classes_ : array of shape (2,)
    n_features_in_ : int

    References
    ----------
    du Plessis, Niu and Sugiyama, Convex formulation for learning from positive and unlabeled data (ICML 2015), for the risks;
    Zadrozny and Elkan, Transforming classifier scores into accurate multiclass probability estimates (KDD 2002).

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import PUCalibratedClassifier, PUExtraTreesClassifier
    >>> rng = np.random.default_rng(0)
    >>> truth = np.r_[np.ones(300, bool), rng.random(900) < 0.4]
    >>> X = rng.normal(size=(1200, 2)) + np.where(truth, 0.5, -0.5)[:, None]
    >>> y = np.r_[np.ones(300), np.zeros(900)]
    >>> forest = PUExtraTreesClassifier(20, prior=0.4, min_samples_leaf=20, random_state=0)
    >>> p = PUCalibratedClassifier(forest).fit(X, y).predict_proba(X[300:])[:, 1]
    >>> print(f"mean probability {p.mean():.2f}, share of positives {truth[300:].mean():.2f}")
    mean probability 0.37, share of positives 0.37
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseReduction._parameter_constraints,
        "prior": PRIOR_CONSTRAINT,
        "scenario": [*THRESHOLD_CONSTRAINTS["scenario"], None],
        "method": [StrOptions(set(CALIBRATIONS))],
    }

    _cross_fits = True

    def __init__(
        self,
        estimator: Any = None,
        *,
        prior: float | None = None,
        scenario: str | None = None,
        method: str = "isotonic",
        pos_label: Any = None,
        unlabeled_label: Any = None,
    ) -> None:
        self.estimator = estimator
        self.prior = prior
        self.scenario = scenario
        self.method = method
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label

    def _fit(self, X: Any, positive: np.ndarray, weights: np.ndarray | None) -> None:
        self.estimator_ = self._fit_base(X, positive, self._negative)
        final, place = last_step(self._base())
        scenario = str(self.scenario or own_attribute(self.estimator_, "scenario", None) or "two_sample")
        frozen = isinstance(final, FrozenEstimator)  # its π is that of its training rows
        own = None if frozen else own_attribute(self.estimator_, "prior_", None)
        prior = own if self.prior is None else self.prior
        base, known = self._base_and_negatives(self._negative)
        base = clone(base)
        if own is not None and f"{place}prior" in base.get_params():  # SAR-EM and VPU learn π, and take none
            base.set_params(**{f"{place}prior": own})  # do not estimate it again in each fold
        unsampled = self._unsampled_negatives(scenario)
        scores = self._held_out_scores_of_base(base, X, positive, positive_score, unsampled, known)
        if unsampled is not None:
            scores, positive, weights = scores[~unsampled], positive[~unsampled], of_rows(weights, ~unsampled)
        self.__dict__.pop("prior_estimate_", None)
        if prior is None:
            self.prior_estimate_ = prior_from_scores(scores, positive, scenario, weights)
            self.prior_, messages = self.prior_estimate_.prior, self.prior_estimate_.warnings
        else:
            self.prior_ = float(prior)
            messages = (prior_warning(self.prior_, positive, scenario, estimated=False, weights=weights),)
        issue_warning(*messages)
        calibrate = CALIBRATIONS[self.method]
        self._map, self.threshold_ = calibrate(scores, positive, self.prior_, scenario == "one_sample", weights)

    def _probability(self, X: Any) -> np.ndarray:
        return self._map.predict(self._scores(X))
