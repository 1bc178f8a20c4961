"""DEDPUL: prior, threshold and probabilities from the densities of held-out scores."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.utils._param_validation import HasMethods

from pulib._base import PRIOR_CONSTRAINT
from pulib._priors._density_ratio import density_ratio, log_odds, posterior_of, share_of
from pulib._priors._interval import hidden_share, prior_from_share
from pulib._threshold import THRESHOLD_CONSTRAINTS, between
from pulib._warnings import issue_warning, prior_warning
from pulib._weights import weighted_counts
from pulib.reductions._base import BaseReduction, positive_probability


class DEDPULClassifier(BaseReduction):
    """PU learning by density ratios of the scores of any probabilistic classifier (Ivanov, 2020).

    The classifier separates labeled from unlabeled rows.  Its held-out scores have one density among labeled rows and another
    among unlabeled rows.  An unlabeled row is positive with probability π times the ratio of the first to the second.  This
    ratio also gives π and the threshold; the classifier need not be calibrated.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``, or None, default=None
        None means 100 extra trees with leaves of five rows.  On the paper's tables, they come as close to its results (with
        CatBoost) as boosting does.
    prior : float in (0, 1) or None, default=None
        Class prior π.  None takes the greatest π that equals the mean of its probabilities, as
        ``estimate_prior(method="dedpul")`` does with another classifier's scores.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows represent the population (the paper's setting), or the labeled and unlabeled rows together
        do.
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows, needed with ``pos_label`` unless it is missing.

    Attributes
    ----------
    estimator_ : classifier
        Fitted to all rows; its labels are 1 (labeled) and 0 (unlabeled).
    prior_ : float
    threshold_ : float
        The log-odds of "labeled" above which the probability of "positive" exceeds one half.
    oob_decision_function_ : array of shape (n_samples,)
        ``decision_function`` of each training row by a classifier fitted to the other four fifths (NaN if its weight is 0).
        Use it to classify the unlabeled rows, as the paper does: ``estimator_`` has learned that they are unlabeled.
    classes_ : array of shape (2,)
    n_features_in_ : int

    Warns
    -----
    PUWarning
        If the estimate of π is close to 0 or 1 or based on few labels, or if a given π contradicts the labels.

    Notes
    -----
    If r is the ratio, π is the greatest solution of π = mean of min(π r, 1) over the unlabeled rows (algorithm 2).  With a
    given π, probabilities are min(a r, 1), where a makes their mean π.  ``decision_function`` ranks by the classifier's
    log-odds, which tie less often.  Unlike in the paper, the ratio also increases at low scores (isotonic regression), so that
    there is one threshold.  The paper's heuristic of trends is left out.

    See Also
    --------
    ElkanNotoClassifier : Divides calibrated probabilities by the label frequency.
    PUCalibratedClassifier : Calibrates any scorer with a given π.

    References
    ----------
    Ivanov, DEDPUL: Difference-of-estimated-densities-based positive-unlabeled learning (ICMLA 2020).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from pulib import DEDPULClassifier
    >>> rng = np.random.default_rng(0)
    >>> truth = np.r_[np.ones(500, bool), rng.random(1500) < 0.4]
    >>> X = rng.normal(size=(2000, 2)) + np.where(truth, 1.5, -1.5)[:, None]
    >>> y = np.r_[np.ones(500), np.zeros(1500)]
    >>> model = DEDPULClassifier(LogisticRegression()).fit(X, y)
    >>> bool(abs(model.prior_ - 0.4) < 0.05), bool(np.mean(model.predict(X) == truth) > 0.95)
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseReduction._parameter_constraints,
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "prior": PRIOR_CONSTRAINT,
        "scenario": THRESHOLD_CONSTRAINTS["scenario"],
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

    @staticmethod
    def _default_estimator() -> Any:
        return ExtraTreesClassifier(100, min_samples_leaf=5, random_state=0)

    def _fit(self, X: Any, positive: np.ndarray, weights: np.ndarray | None) -> None:
        self.estimator_ = self._fit_base(X, positive)
        scores = log_odds(self._held_out_scores_of_base(self._base(), X, positive, positive_probability))
        at, ratio = density_ratio(scores, positive, weights)
        counts = weighted_counts(positive, weights)
        labeled = counts[0] / sum(counts) if self.scenario == "one_sample" else 0.0
        if self.prior is None:
            share = share_of(ratio)
            self.prior_ = prior_from_share(share, *counts, self.scenario)
        else:
            self.prior_ = float(self.prior)
            share = hidden_share(self.prior_, *counts, self.scenario)
        estimated = self.prior is None
        issue_warning(prior_warning(self.prior_, positive, self.scenario, estimated=estimated, weights=weights))
        # the posterior in the unlabeled sample, then in the population, which may include the labeled rows
        p = posterior_of(ratio, share)
        p = np.minimum((labeled * ratio + (1 - labeled) * p) / (labeled * ratio + 1 - labeled), 1.0)  # rounding may exceed 1
        kept = np.flatnonzero(np.diff(at, prepend=at[0] - 1.0) > 0)
        self._at, self._p = at[kept], p[kept]
        above = int(np.searchsorted(self._p, 0.5, side="right"))
        if 0 < above < len(kept):
            low, high = self._p[above - 1 : above + 1]
            self.threshold_ = between(self._at[above - 1], self._at[above], (0.5 - low) / (high - low))
        elif above == 0:  # all unlabeled rows are positive, so every score is
            self.threshold_ = float(np.nextafter(log_odds(np.zeros(1))[0], -np.inf))
        else:  # no unlabeled row is positive; higher scores belong to labeled rows
            self.threshold_ = float(self._at[-1])
            self._at = np.append(self._at, np.nextafter(self.threshold_, np.inf))
            self._p = np.append(self._p, 1.0)
        self.oob_decision_function_ = scores - self.threshold_

    def _scores(self, X: Any) -> np.ndarray:
        return log_odds(positive_probability(self.estimator_, X))

    def _probability(self, X: Any) -> np.ndarray:
        return np.interp(self._scores(X), self._at, self._p)
