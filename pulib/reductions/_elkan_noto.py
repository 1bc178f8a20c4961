"""Elkan and Noto's correction of calibrated probabilities by the label frequency."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing, check_random_state, indexable
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions

from pulib._base import PRIOR_CONSTRAINT
from pulib._calibration import CALIBRATIONS, fit_isotonic
from pulib._equal_rows import rows_held_out_together
from pulib._folds import held_out_folds
from pulib._routing import params_of_rows
from pulib._threshold import THRESHOLD_CONSTRAINTS
from pulib._typing import RandomState
from pulib._warnings import issue_warning, prior_warning
from pulib._weights import of_rows, weighted_counts
from pulib.reductions._base import BaseReduction, positive_probability


class ElkanNotoClassifier(BaseReduction):
    """Probabilities of any classifier of labeled against unlabeled rows, divided by the label frequency.

    Let g(x) = Pr(labeled | x), and let c be the label frequency.  If labels are selected at random, Pr(positive | x) is g / c
    in a single sample, and (1 - c) / c times g / (1 - g) with two samples.  Rows with a corrected probability above one half
    are predicted positive.

    The correction requires calibrated probabilities, which most classifiers lack: if labels are rare, averages over trees are
    far from 0 and 1.  Therefore g is calibrated first, on rows that the classifier has not seen.  This needs no negatives,
    because it is known which rows are labeled.  If π is given, the corrected probabilities then have the mean π.

    Parameters
    ----------
    estimator : classifier with predict_proba, or None, default=None
        None means 100 extra trees with leaves of five rows.
    prior : float in (0, 1) or None, default=None
        Class prior π, which implies c.  None estimates c as the mean of g over held-out labeled rows.
    calibration : {"isotonic", "sigmoid"} or None, default="isotonic"
        How to calibrate g: by an increasing function, by a sigmoid (for fewer than a few hundred labels), or not at all, as in
        the paper.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows represent the population, or the labeled and unlabeled rows together do (the paper's
        setting).
    hold_out : float in (0, 1) or None, default=None
        Share of rows held out to calibrate g and to estimate c, as in the paper.  None cross-fits in five folds instead, and
        fits the classifier to all rows.
    random_state : int, RandomState instance or None, default=None
        Seed for the choice of held-out rows.
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows (NaN for missing labels) if ``y`` also contains known negatives: 0 for labels 1, 0 and -1.
        ``classes_`` is then [negative, positive].  None: there are no known negatives.  In a single sample, known negatives
        count as unlabeled rows.  With two samples, the classifier learns them as negatives, and g is calibrated without them,
        which requires ``calibration``.

    Attributes
    ----------
    estimator_ : classifier
    label_frequency_ : float
        c, the probability that a positive row is labeled, among labeled and unlabeled rows together.
    prior_ : float
        π, as given or implied by c.
    threshold_ : float
        The g above which rows are predicted positive.
    classes_ : array of shape (2,)
    n_features_in_ : int

    References
    ----------
    Elkan and Noto, Learning classifiers from only positive and unlabeled data (KDD 2008), section 2.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from pulib import ElkanNotoClassifier
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(2000) < 0.4
    >>> X = rng.normal(size=(2000, 2)) + np.where(truth, 1.5, -1.5)[:, None]
    >>> y = truth & (rng.random(2000) < 0.3)  # three in ten positives are labeled
    >>> model = ElkanNotoClassifier(LogisticRegression(), scenario="one_sample").fit(X, y)
    >>> bool(0.25 < model.label_frequency_ < 0.35), bool(np.mean(model.predict(X) == truth) > 0.9)
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseReduction._parameter_constraints,
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        **THRESHOLD_CONSTRAINTS,
        "prior": PRIOR_CONSTRAINT,
        "calibration": [StrOptions(set(CALIBRATIONS)), None],
        "hold_out": [Interval(RealNotInt, 0, 1, closed="neither"), None],
        "random_state": ["random_state"],
    }

    _cross_fits = True

    def __init__(
        self,
        estimator: Any = None,
        *,
        prior: float | None = None,
        scenario: str = "two_sample",
        calibration: str | None = "isotonic",
        hold_out: float | None = None,
        random_state: RandomState = None,
        pos_label: Any = None,
        unlabeled_label: Any = None,
    ) -> None:
        self.estimator = estimator
        self.prior = prior
        self.scenario = scenario
        self.calibration = calibration
        self.hold_out = hold_out
        self.random_state = random_state
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label

    @staticmethod
    def _default_estimator() -> Any:
        return ExtraTreesClassifier(100, min_samples_leaf=5, random_state=0)

    def _fit(self, X: Any, positive: np.ndarray, weights: np.ndarray | None) -> None:
        unsampled = self._unsampled_negatives(self.scenario)  # only the classifier learns from them
        if unsampled is not None and self.calibration is None:
            raise ValueError(
                "calibration=None has no use for known negatives with scenario='two_sample': g is Pr(labeled) among labeled "
                "and unlabeled rows. Set calibration, or leave the known negatives out."
            )
        held_out, g, weighed = self._fit_and_hold_out(X, positive, weights, unsampled)
        if unsampled is not None:
            positive, weights = positive[~unsampled], of_rows(weights, ~unsampled)
        joined, labeled = self.scenario == "one_sample", _labeled_share(positive, weights)
        population = labeled if joined else labeled / (1 - labeled)
        if self.prior is not None:
            ratio = population / self.prior
            self.label_frequency_ = float(min(ratio, 1.0) if joined else ratio / (1 + ratio))
            self.prior_ = float(self.prior)
        else:
            calibrated = g
            if self.calibration is not None:  # Pr(labeled | x) is the calibrated probability of "positive" at π = Pr(labeled)
                calibrated = fit_isotonic(g, held_out, _labeled_share(held_out, weighed), True, weighed)[0].predict(g)
            mean = float(np.average(calibrated[held_out], weights=of_rows(weighed, held_out)))
            self.label_frequency_ = c = float(np.clip(mean, max(labeled, 1e-6), 1 - 1e-6))  # below, π would exceed 1
            odds = 1 / c if joined else (1 - c) / c
            margin = 1.0 / (len(positive) + 2)
            self.prior_ = float(np.clip(population * odds, margin, 1 - margin))
        estimated = self.prior is None
        issue_warning(prior_warning(self.prior_, positive, self.scenario, estimated=estimated, weights=weights))
        if self.calibration is None:
            c = self.label_frequency_
            self._map, self.threshold_ = None, c / 2 if joined else c / (2 - c)
        else:
            self._map, self.threshold_ = CALIBRATIONS[self.calibration](g, held_out, self.prior_, joined, weighed)

    def _fit_and_hold_out(
        self, X: Any, positive: np.ndarray, weights: np.ndarray | None, unsampled: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Fit the base; return which held-out rows are labeled, their g and weights.  No row of ``unsampled`` is held out."""
        rows = np.arange(len(positive)) if unsampled is None else np.flatnonzero(~unsampled)
        if self.hold_out is None:
            self.estimator_ = self._fit_base(X, positive)
            if self.prior is not None and self.calibration is None:
                return positive[:0], np.empty(0), None  # nothing depends on held-out scores
            scores = self._held_out_scores_of_base(self._base(), X, positive, positive_probability, unsampled)
            return positive[rows], scores[rows], of_rows(weights, rows)
        (X,) = indexable(X)
        equal = rows_held_out_together(X, positive, self.prior) if self._groups is None else None
        siblings = equal if self._groups is None else self._groups
        if siblings is None:
            train, rest = train_test_split(
                rows, test_size=self.hold_out, stratify=positive[rows], random_state=self.random_state
            )
        else:  # a fold that is about this share of the rows
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
            share = max(2, round(1 / self.hold_out))
            parts = held_out_folds(positive[rows], share, seed, of_rows(self._groups, rows), equal=of_rows(equal, rows))
            train, rest = (rows[part] for part in parts[0])
        if unsampled is not None:
            extra = unsampled if siblings is None else unsampled & ~np.isin(siblings, siblings[rest])
            train = np.concatenate([train, np.flatnonzero(extra)])
        self._base_params = params_of_rows(X, self._base_params, train)
        self.estimator_ = self._fit_base(_safe_indexing(X, train), positive[train])
        return positive[rest], positive_probability(self.estimator_, _safe_indexing(X, rest)), of_rows(weights, rest)

    def _scores(self, X: Any) -> np.ndarray:
        return positive_probability(self.estimator_, X)

    def _probability(self, X: Any) -> np.ndarray:
        g, c = self._scores(X), self.label_frequency_
        if self._map is not None:
            return self._map.predict(g)
        if self.scenario == "one_sample":
            return np.minimum(g / c, 1.0)
        return np.minimum((1 - c) * g / np.maximum(c * (1 - g), np.finfo(float).tiny), 1.0)


def _labeled_share(positive: np.ndarray, weights: np.ndarray | None) -> float:
    return weighted_counts(positive, weights)[0] / len(positive)
