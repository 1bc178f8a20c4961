"""Ada-PU: AdaBoost on positive and unlabeled rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from pulib._base import PRIOR_CONSTRAINT, PUClassifierMixin
from pulib._random import draw_seeds
from pulib._typing import ArrayLike, MatrixLike, RandomState
from pulib.boosting._binning import encode
from pulib.boosting._predict import add_stumps
from pulib.boosting._stump import Stump, StumpSearch
from pulib.boosting._threads import Threads
from pulib.boosting._weights import SLACK, SampleWeights

#: Error that a perfect stump's weight is computed from, since that of 0 would be infinite: a weight of about 11.5.
_PERFECT_ERROR = 1e-10
_SCORED_TYPES = (np.float32, np.float64, np.uint8)


@dataclass(frozen=True)
class _Round:
    """A stump, what its vote counts (βα), and what the rows were reweighed by (βα, or α)."""

    stump: Stump
    weight: float
    step: float


class AdaPUClassifier(PUClassifierMixin, BaseEstimator):
    """Ada-PU: boosted decision stumps that learn from positive and unlabeled rows (algorithms 1 and 2 of Zhao et al.).

    Three weighted samples are kept: labeled rows counted as positive, the same rows counted as negative with negative weight,
    and unlabeled rows counted as negative (eq. 7).  A round takes the stump of least weighted error ε (eq. 8) among those
    with ε < 1/2 whose error on negatives, ε_nn, is not negative; it gets the weight α = ½ ln((1 − ε) / ε) (eq. 9), and rows are
    reweighed as AdaBoost does (eq. 12).

    Parameters
    ----------
    n_estimators : int, default=100
        Greatest number of rounds.
    prior : float in (0, 1) or None, default=None
        Share of positives in the population that the unlabeled rows stand for; estimated from the data where None.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        ``two_sample``: the unlabeled rows are a sample of the whole population (case-control; the paper's setting).
        ``one_sample``: they are what is left of it when the labeled rows are taken out; labeled rows then count as unlabeled
        ones too.
    learning_rate : float in (0, 1], default=1.0
        β, which multiplies every α.
    shrink_weights : bool, default=True
        Whether β also shrinks α where rows are reweighed, as is usual.  False is algorithm 2 to the letter: β multiplies the
        final sum alone, and so cannot change a prediction.
    splitter : {"random", "best"}, default="random"
        ``n_thresholds`` random thresholds per feature and round, or all of them.
    n_thresholds : int, default=10
        Random thresholds per feature and round (S in the paper), uniform over the feature's range.
    threshold_range : {"all", "unlabeled"}, default="all"
        Rows whose least and greatest values bound random thresholds.
    normalize_weights : bool, default=True
        Divide the weights by their signed total in every round, as theorems 4.1 and 4.2 need it.  False: ε is that of eq. 8 to
        the letter, with weights that are never divided.
    max_bins : int from 2 to 65536 or None, default=None
        None: every distinct value of a feature is a place to cut at.  Else, features of more distinct values are cut into so
        many bins, of one width for random thresholds and of about equally many rows for the best.  At most 256 bins (or
        distinct values) take a byte per value and are fastest.
    warm_start : bool, default=False
        Keep the stumps of the last ``fit``, which must have seen the same rows, and add rounds up to ``n_estimators``.  Other
        parameters may change in between; they count for the rounds that are added.
    n_jobs : int or None, default=None
        Threads.  The result does not depend on it.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    classes_ : array of shape (2,)
    prior_ : float
        The prior that was used.
    n_iter_ : int
        Number of stumps; less than ``n_estimators`` where no stump (none of the drawn ones, with ``splitter="random"``) was
        admissible any more, or one was perfect.
    estimator_errors_ : array of shape (n_iter_,)
        ε of each round.
    estimator_weights_ : array of shape (n_iter_,)
        βα of each round: what the stump's vote counts.
    estimator_features_, estimator_thresholds_, estimator_polarities_ : arrays of shape (n_iter_,)
        A stump votes ``polarity`` where the feature exceeds the threshold, and ``-polarity`` elsewhere.
    feature_counts_ : int array of shape (n_features,)
        How often each feature was chosen (figure 4).
    feature_importances_ : array of shape (n_features,)
        Each feature's share of the stumps' weights.
    n_features_in_ : int

    Warns
    -----
    ConvergenceWarning
        If there was no admissible stump in the first round (``decision_function`` is then 0), or one whose ε is 0 but for
        rounding.

    Notes
    -----
    A round takes time in proportion to rows times features and never sorts.  Beside ``X`` the fit keeps its codes: one byte per
    value up to 256 distinct values per feature, then two or four.

    References
    ----------
    Zhao, Zhang, Zhang, Chen, Ye, Xu: A boosting algorithm for positive-unlabeled learning.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import AdaPUClassifier
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(2000) < 0.5
    >>> X = rng.normal(size=(2000, 3)) + 2.0 * truth[:, None]
    >>> labeled = X[truth][:300]
    >>> y = np.repeat([1, 0], [300, 2000])
    >>> model = AdaPUClassifier(30, prior=0.5, learning_rate=0.1, random_state=0).fit(np.vstack([labeled, X]), y)
    >>> bool(np.mean(model.predict(X) == truth) > 0.9)
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "prior": PRIOR_CONSTRAINT,
        "scenario": [StrOptions({"two_sample", "one_sample"})],
        "learning_rate": [Interval(Real, 0, 1, closed="right")],
        "shrink_weights": ["boolean"],
        "splitter": [StrOptions({"random", "best"})],
        "n_thresholds": [Interval(Integral, 1, None, closed="left")],
        "threshold_range": [StrOptions({"all", "unlabeled"})],
        "normalize_weights": ["boolean"],
        "max_bins": [Interval(Integral, 2, 2**16, closed="both"), None],
        "warm_start": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        prior: float | None = None,
        scenario: str = "two_sample",
        learning_rate: float = 1.0,
        shrink_weights: bool = True,
        splitter: str = "random",
        n_thresholds: int = 10,
        threshold_range: str = "all",
        normalize_weights: bool = True,
        max_bins: int | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ):
        self.n_estimators = n_estimators
        self.prior = prior
        self.scenario = scenario
        self.learning_rate = learning_rate
        self.shrink_weights = shrink_weights
        self.splitter = splitter
        self.n_thresholds = n_thresholds
        self.threshold_range = threshold_range
        self.normalize_weights = normalize_weights
        self.max_bins = max_bins
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> AdaPUClassifier:
        """Boost.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Of any number type; memory maps are read block by block.
        y : array-like of shape (n_samples,)
            The greater of two labels marks labeled positives.

        Returns
        -------
        self
        """
        known = self._known_rounds()
        X, positive = self._validate_fit(X, y, reset=not known, dtype="numeric")
        order = np.concatenate([np.flatnonzero(positive), np.flatnonzero(~positive)])
        n_labeled = int(positive.sum())
        self._check_same_rows(known, n_labeled, len(order))
        prior = self._resolve_prior(X, positive)
        with Threads(effective_n_jobs(self.n_jobs)) as threads:
            data = encode(
                X,
                order,
                slice(n_labeled, None) if self.threshold_range == "unlabeled" else slice(None),
                max_bins=self.max_bins,
                equal_width=self.splitter == "random",
                run=threads.run,
            )
            weights = SampleWeights.initial(prior, n_labeled, len(order), self.scenario)
            n_thresholds = self.n_thresholds if self.splitter == "random" else None
            search = StumpSearch(data, weights, threads, n_thresholds)
            for done in known:
                above = X[order, done.stump.feature].astype(np.float64) > done.stump.threshold
                search.replay(above, done.stump.polarity, done.step, self.normalize_weights)
            rounds = self._boost(search, known)
        self._rows_seen = (n_labeled, len(order))
        self._keep(rounds)
        return self

    def _known_rounds(self) -> list[_Round]:
        """What a warm start goes on from."""
        if not (self.warm_start and hasattr(self, "_rounds")):
            return []
        if len(self._rounds) > self.n_estimators:
            raise ValueError(
                f"n_estimators={self.n_estimators} is less than the {len(self._rounds)} stumps that there are; with "
                "warm_start=True it can only grow. Clone the estimator to start anew."
            )
        return list(self._rounds)

    def _check_same_rows(self, known: list[_Round], n_labeled: int, n_rows: int) -> None:
        if known and self._rows_seen != (n_labeled, n_rows):
            raise ValueError(
                f"{n_rows} rows, {n_labeled} of them labeled, but the {len(known)} stumps that there are were found on "
                f"{self._rows_seen[1]} rows, {self._rows_seen[0]} of them labeled; warm_start=True needs the same rows. Clone "
                "the estimator to start anew."
            )

    def _boost(self, search: StumpSearch, known: list[_Round]) -> list[_Round]:
        """Algorithm 2 from where ``known`` ends."""
        rounds = list(known)
        seeds = draw_seeds(self.random_state, self.n_estimators)
        for seed in seeds[len(known) :]:
            stump = search.find(seed)
            if stump is None or stump.error >= 0.5:
                if not rounds:
                    self._warn_of_none(*search.least_errors())
                break
            perfect = stump.error <= SLACK * search.weights.absolute
            error = max(stump.error, _PERFECT_ERROR) if perfect else stump.error
            alpha = 0.5 * math.log((1 - error) / error)
            step = alpha * (self.learning_rate if self.shrink_weights else 1.0)
            rounds.append(_Round(stump, self.learning_rate * alpha, step))
            if perfect:
                warnings.warn(
                    f"The stump of round {len(rounds)} makes no error but rounding (feature {stump.feature}, "
                    f"at {stump.threshold:g}); boosting ends, and it weighs as one of an error of {_PERFECT_ERROR:g}.",
                    ConvergenceWarning,
                    stacklevel=3,
                )
                break
            search.apply(stump, step, self.normalize_weights)
        return rounds

    def _warn_of_none(self, least: float, admissible: float) -> None:
        """Say why there is no model, from the least ε of any stump and of any admissible one, drawn or not."""
        if math.isinf(least):
            reason = "all features are constant"
        elif admissible < 0.5:
            reason = (
                f"none of the n_thresholds={self.n_thresholds} that were drawn per feature gives one, but there is one of "
                f"error {admissible:.3g}. Take splitter='best', more thresholds, or threshold_range='unlabeled': values far "
                "out make most draws useless"
            )
        elif least < 0.5:
            reason = (
                f"every stump of error ε < 0.5 has a negative error on negatives, ε_nn (the least ε is {least:.3g}); "
                f"prior={self.prior_:.3g} may be too great for these unlabeled rows"
            )
        else:
            reason = f"the least error of a stump is {least:.3g}, not below 0.5"
        warnings.warn(
            f"No admissible stump in the first round: {reason}. The model is empty: decision_function is 0, predict answers "
            "with the unlabeled class.",
            ConvergenceWarning,
            stacklevel=4,
        )

    def _keep(self, rounds: list[_Round]) -> None:
        self._rounds = rounds
        self.n_iter_ = len(rounds)
        stumps = [done.stump for done in rounds]
        self.estimator_errors_ = np.array([stump.error for stump in stumps], np.float64)
        self.estimator_weights_ = np.array([done.weight for done in rounds], np.float64)
        self.estimator_features_ = np.array([stump.feature for stump in stumps], np.intp)
        self.estimator_thresholds_ = np.array([stump.threshold for stump in stumps], np.float64)
        self.estimator_polarities_ = np.array([stump.polarity for stump in stumps], np.int8)
        self.feature_counts_ = np.bincount(self.estimator_features_, minlength=self.n_features_in_)
        votes = np.bincount(self.estimator_features_, self.estimator_weights_, minlength=self.n_features_in_)
        self.feature_importances_ = votes / max(votes.sum(), np.finfo(float).tiny)

    def _rows(self, X: Any) -> np.ndarray:
        X = self._validate_predict(X, dtype="numeric")
        return X if X.dtype in _SCORED_TYPES else X.astype(np.float64)

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """H(x), the weighted vote of the stumps; positive values mean positive.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples,)
        """
        check_is_fitted(self)
        X = self._rows(X)
        scores = np.zeros(len(X))
        signed = self.estimator_weights_ * self.estimator_polarities_
        add_stumps(X, self.estimator_features_, self.estimator_thresholds_, signed, scores)
        return scores

    def staged_decision_function(self, X: MatrixLike) -> Iterator[np.ndarray]:
        """H(x) after each round: ``n_iter_`` arrays of shape (n_samples,)."""
        check_is_fitted(self)
        X = self._rows(X)
        scores = np.zeros(len(X))
        signed = self.estimator_weights_ * self.estimator_polarities_
        for t in range(self.n_iter_):
            one = slice(t, t + 1)
            add_stumps(X, self.estimator_features_[one], self.estimator_thresholds_[one], signed[one], scores)
            yield scores.copy()

    def staged_predict(self, X: MatrixLike) -> Iterator[np.ndarray]:
        """Labels after each round: ``n_iter_`` arrays of shape (n_samples,)."""
        for scores in self.staged_decision_function(X):
            yield self.classes_[(scores > 0).astype(np.intp)]

    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Probabilities of the classes, in the order of ``classes_``; shape (n_samples, 2).

        H that minimizes the exponential loss is half the log-odds, so that P(y = 1 | x) = 1 / (1 + exp(−2 H(x))).
        """
        positive = 0.5 * (1 + np.tanh(self.decision_function(X)))
        return np.column_stack([1 - positive, positive])
