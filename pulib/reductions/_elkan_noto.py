"""Elkan and Noto's correction of probabilities by the labeling frequency, of probabilities that mean what they say."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions

from pulib._calibration import CALIBRATIONS, fit_isotonic
from pulib._doubts import warn_of_prior
from pulib._labels import POS_LABEL_CONSTRAINT
from pulib._threshold import cross_fitted_scores
from pulib._typing import ArrayLike, MatrixLike, RandomState
from pulib.reductions._base import BaseReduction, positive_probability


class ElkanNotoClassifier(BaseReduction):
    """Any probabilistic classifier of "labeled or not", with its probabilities divided by those of a positive to be labeled.

    Where labels are selected at random, g(x) = Pr(labeled | x) is Pr(positive | x) times the labeling frequency c.  In a single
    sample Pr(positive | x) = g / c; with two samples the odds are corrected: (1 - c) / c times g / (1 - g).  Rows are called
    positive from a corrected probability of one half on.

    All of this is about probabilities that mean what they say, and those of most classifiers do not: averages over trees, of
    a rare label, are far from 0 and 1.  So g is calibrated first, on rows that the classifier has not seen.  Which of these are
    labeled is known, so that this needs no negatives; corrected probabilities have the mean π then, where it is given.

    Parameters
    ----------
    estimator : classifier with predict_proba, or None, default=None
        None means 100 extra trees with leaves of five rows.
    prior : float in (0, 1) or None, default=None
        π, from which c follows; None has c estimated as the mean of g over held-out labeled rows.
    calibration : {"isotonic", "sigmoid"} or None, default="isotonic"
        What g is passed through: a rising function, a sigmoid (for fewer than some hundred labels), or, as in the paper,
        nothing.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows stand for the population, or the labeled and unlabeled rows together (the paper's setting).
    hold_out : float in (0, 1) or None, default=None
        Share of the rows that are kept from the classifier to calibrate and to estimate c, as in the paper; None cross-fits:
        five folds for these, and the classifier is then fitted to all rows.
    random_state : int, RandomState instance or None, default=None
        Of the rows that are held out.
    pos_label : number, str, bool or None, default=None
        The label of labeled positives, for labels that do not tell (1/0, 1/-1, True/False, and 1 beside missing values do).

    Attributes
    ----------
    estimator_ : classifier
    label_frequency_ : float
        c, the probability that a positive row (of the labeled and unlabeled ones together) is labeled.
    prior_ : float
        π, as given or as c implies.
    threshold_ : float
        The g from which on a row is called positive.
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
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "prior": [Interval(Real, 0, 1, closed="neither"), None],
        "scenario": [StrOptions({"two_sample", "one_sample"})],
        "calibration": [StrOptions(set(CALIBRATIONS)), None],
        "hold_out": [Interval(RealNotInt, 0, 1, closed="neither"), None],
        "random_state": ["random_state"],
        "pos_label": POS_LABEL_CONSTRAINT,
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
    ) -> None:
        self.estimator = estimator
        self.prior = prior
        self.scenario = scenario
        self.calibration = calibration
        self.hold_out = hold_out
        self.random_state = random_state
        self.pos_label = pos_label

    @staticmethod
    def _default_estimator() -> Any:
        return ExtraTreesClassifier(100, min_samples_leaf=5, random_state=0)

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: MatrixLike, y: ArrayLike) -> ElkanNotoClassifier:
        """Fit the base to "labeled or not", calibrate it, and estimate c.

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
        held_out, g = self._fit_and_hold_out(X, positive)
        joined, labeled = self.scenario == "one_sample", float(np.mean(positive))
        population = labeled if joined else labeled / (1 - labeled)
        if self.prior is not None:
            ratio = population / self.prior
            self.label_frequency_ = float(min(ratio, 1.0) if joined else ratio / (1 + ratio))
            self.prior_ = float(self.prior)
        else:
            if self.calibration is not None:  # Pr(labeled | x) is the calibrated probability of "positive" at π = Pr(labeled)
                share = float(np.mean(held_out))
                told = fit_isotonic(g, held_out, share, True)[0].predict(g)
            mean = float(np.mean((g if self.calibration is None else told)[held_out]))
            low = labeled if joined else labeled / (2 - labeled)
            self.label_frequency_ = c = float(np.clip(mean, max(low, 1e-6), 1 - 1e-6))
            odds = 1 / c if joined else (1 - c) / c
            margin = 1.0 / (len(positive) + 2)
            self.prior_ = float(np.clip(population * odds, margin, 1 - margin))
        warn_of_prior(self.prior_, positive, self.scenario, estimated=self.prior is None)
        if self.calibration is None:
            c = self.label_frequency_
            self._map, self.threshold_ = None, c / 2 if joined else c / (2 - c)
        else:
            self._map, self.threshold_ = CALIBRATIONS[self.calibration](g, held_out, self.prior_, joined)
        return self

    def _fit_and_hold_out(self, X: Any, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Fit the base; who is labeled among held-out rows, and their g."""
        if self.hold_out is None:
            self.estimator_ = self._fit_base(X, positive)
            if self.prior is not None and self.calibration is None:
                return positive[:0], np.empty(0)  # nothing is left to be learned from them
            return positive, cross_fitted_scores(self._base(), X, positive, positive_probability)
        (X,) = indexable(X)
        train, rest = train_test_split(
            np.arange(len(positive)), test_size=self.hold_out, stratify=positive, random_state=self.random_state
        )
        self.estimator_ = self._fit_base(_safe_indexing(X, train), positive[train])
        return positive[rest], positive_probability(self.estimator_, _safe_indexing(X, rest))

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """The base's probability of being labeled, less that at which a row is as likely positive as not.

        Parameters
        ----------
        X : rows of any kind that the base takes

        Returns
        -------
        scores : array of shape (n_samples,)
            Above 0 for positive.
        """
        return positive_probability(self._fitted(), X) - self.threshold_

    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Corrected probabilities, cut at 1.

        Parameters
        ----------
        X : rows of any kind that the base takes

        Returns
        -------
        probabilities : array of shape (n_samples, 2)
        """
        g, c = positive_probability(self._fitted(), X), self.label_frequency_
        if self._map is not None:
            p = self._map.predict(g)
        elif self.scenario == "one_sample":
            p = np.minimum(g / c, 1.0)
        else:
            p = np.minimum((1 - c) * g / np.maximum(c * (1 - g), np.finfo(float).tiny), 1.0)
        return np.column_stack([1.0 - p, p])
