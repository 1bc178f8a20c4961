"""Ada-PU: AdaBoost on positive and unlabeled rows."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from pulib._base import PRIOR_CONSTRAINT, TRAINING_PRIOR_CONSTRAINT
from pulib._groups import grouped_rows
from pulib._held_out import hold_out
from pulib._known_negatives import UNLABELED_LABEL_CONSTRAINT
from pulib._labels import POS_LABEL_CONSTRAINT
from pulib._missing import ACCEPT_MISSING, holds_missing, missing_columns
from pulib._random import draw_seeds
from pulib._training_prior import RARE, TrainingPriorMixin
from pulib._typing import ArrayLike, MatrixLike, RandomState
from pulib._warm_start import RowsSeen, check_same_rows, rows_seen
from pulib._warnings import issue_warning
from pulib._weights import ones_for_none
from pulib.boosting._binning import encode
from pulib.boosting._held_out_risk import HeldOutRisk, column_of
from pulib.boosting._stump import Round, StumpSearch, why_no_stump
from pulib.boosting._threads import Threads
from pulib.boosting._votes import ROW_TYPES, StumpVotes
from pulib.boosting._weights import SLACK, SampleWeights

#: Error assigned to a perfect stump, whose weight would otherwise be infinite: a weight of about 11.5.
_PERFECT_ERROR = 1e-10
#: If positives are rare, fewer held-out labels than this cannot distinguish rounds (docs/inside.md).
_FEWEST_HELD_OUT_LABELS = 10


class AdaPUClassifier(TrainingPriorMixin, StumpVotes, BaseEstimator):
    """Ada-PU: boosted decision stumps that learn from positive and unlabeled rows (algorithms 1 and 2 of Zhao et al.).

    There are three weighted samples: labeled rows counted as positive, the same rows counted as negative with negative weight,
    and unlabeled rows counted as negative (eq. 7).  Each round chooses the stump with the smallest weighted error ε (eq. 8)
    among those with ε < 1/2 whose error on negatives, ε_nn, is not negative.  The stump's weight is α = ½ ln((1 − ε) / ε)
    (eq. 9), and rows are reweighted as in AdaBoost (eq. 12).  In every round, weights are divided by their signed total, as
    theorems 4.1 and 4.2 require.

    Parameters
    ----------
    n_estimators : int, default=100
        Maximum number of rounds.
    prior : float in (0, 1) or None, default=None
        π, the share of positives in the population that the unlabeled rows represent; None estimates it from the data.
    training_prior : float in (0, 1), "auto" or None, default="auto"
        π' of the balanced PU risk (Su, Chen and Xu, 2021) that ranks rows.  None uses π, as in the paper; if positives are
        rare, nearly every stump then predicts negative.  "auto" is 1/2 if π < 1/8, and π otherwise.  If π' is not π, the
        threshold is set on held-out scores of the training rows (five more fits), so that a share π of the population is
        predicted positive.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        ``two_sample``: the unlabeled rows represent the population (case-control; the paper's setting).  ``one_sample``: the
        labeled and unlabeled rows together do, so labeled rows also count as unlabeled ones.
    learning_rate : float in (0, 1], default=0.1
        β, the factor of every α, in the votes of the stumps and in the reweighting of rows.
    splitter : {"random", "best"}, default="random"
        Whether to try ``n_thresholds`` random thresholds per feature and round, or all thresholds.
    n_thresholds : int, default=10
        Random thresholds per feature and round (S in the paper), uniform over the feature's range.
    max_bins : int from 2 to 65536 or None, default=None
        Features with more distinct values are divided into this many bins, of equal width for random thresholds, and of about
        equal total weight for ``splitter="best"``.  None allows cuts between any two distinct values.  At most 256 bins (or
        distinct values) take a byte per value and are fastest.
    n_iter_no_change : int or None, default=30
        Early stopping, which is not in the paper: boosting ends after this many rounds without a lower non-negative PU risk on
        held-out rows, and the rounds after the lowest risk are dropped.  None uses all rows and continues, as in the paper,
        even if boosting diverges (see Notes).  If positives are rare (see ``training_prior``) and fewer than ten labels would
        be held out, none are, because boosting would stop at random.
    validation_fraction : float in (0, 1), default=0.1
        Share of the labeled and of the unlabeled rows to hold out, as whole groups if ``fit`` gets ``groups``; no effect if
        ``n_iter_no_change`` is None.
    warm_start : bool, default=False
        Whether to keep the stumps of the last ``fit`` and to add rounds up to ``n_estimators``.  Pass the same rows, labels,
        weights and groups in the same order; only the numbers of rows and of labels are checked.  The same rows stay held out
        for any ``random_state``.  Changes of other parameters, except the share of rows to hold out, apply to the new rounds.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it.
    random_state : int, RandomState instance or None, default=None
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows, needed with ``pos_label`` unless it is missing.

    Attributes
    ----------
    classes_ : array of shape (2,)
    prior_ : float
        π in use.
    prior_estimate_ : PriorEstimate
        π with its interval, if ``fit`` estimated it.
    training_prior_ : float
        π' in use.
    threshold_ : float
        Weighted vote above which a share π of the population lies, if ``training_prior`` sets a threshold.
    n_iter_ : int
        Number of stumps; less than ``n_estimators`` if boosting stopped early, no stump (with ``splitter="random"``, none of
        those drawn) was admissible any longer, or one was perfect.
    estimator_errors_ : array of shape (n_iter_,)
        ε of each round.
    estimator_weights_ : array of shape (n_iter_,)
        βα of each round: the weight of the stump's vote.
    estimator_features_, estimator_thresholds_, estimator_polarities_ : arrays of shape (n_iter_,)
        A stump votes ``polarity`` where the feature exceeds the threshold, and ``-polarity`` elsewhere.
    estimator_missing_above_ : bool array of shape (n_iter_,)
        Whether a stump counts missing values (NaN) as above its threshold, whichever gave the smaller error.
    negative_shares_ : array of shape (n_iter_,)
        Share of negative weight in the sum of absolute weights before each round.  Near one half, ε is a small difference
        between large sums, and boosting diverges.
    held_out_risks_ : array of shape (number of rounds that were tried,)
        Risk on the held-out rows after each round, including the rounds that were dropped; only if rows were held out.
    feature_counts_ : int array of shape (n_features,)
        How often each feature was chosen (figure 4).
    feature_importances_ : array of shape (n_features,)
        Each feature's share of the stumps' weights.
    n_features_in_ : int

    Warns
    -----
    ConvergenceWarning
        If the first round has no admissible stump (``decision_function`` is then 0), or if a stump's ε is 0 up to rounding.

    Notes
    -----
    Weights of labeled rows counted as negative are negative.  Boosting increases the weights of rows that are often
    misclassified, and after some rounds the negative weight is a large part of the total.  ε then falls although the ensemble
    gets worse, and every such stump votes with a large α.  The paper's algorithm (``learning_rate=1.0`` and
    ``n_iter_no_change=None``) continues; the default stops when the non-negative PU risk on held-out rows stops falling.

    The time of a round is proportional to rows times features; it never sorts.  In addition to ``X``, a fit stores its codes:
    one byte per value if no feature has more than 256 distinct values, otherwise two or four.

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
    >>> model = AdaPUClassifier(prior=0.5, random_state=0).fit(np.vstack([labeled, X]), y)
    >>> print(f"accuracy {np.mean(model.predict(X) == truth):.2f} after {model.n_iter_} rounds")
    accuracy 0.89 after 7 rounds
    """

    _rows_seen: RowsSeen

    _parameter_constraints: ClassVar[dict] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "prior": PRIOR_CONSTRAINT,
        "training_prior": TRAINING_PRIOR_CONSTRAINT,
        "pos_label": POS_LABEL_CONSTRAINT,
        "unlabeled_label": UNLABELED_LABEL_CONSTRAINT,
        "scenario": [StrOptions({"two_sample", "one_sample"})],
        "learning_rate": [Interval(Real, 0, 1, closed="right")],
        "splitter": [StrOptions({"random", "best"})],
        "n_thresholds": [Interval(Integral, 1, None, closed="left")],
        "max_bins": [Interval(Integral, 2, 2**16, closed="both"), None],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left"), None],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "warm_start": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        prior: float | None = None,
        training_prior: float | str | None = "auto",
        scenario: str = "two_sample",
        learning_rate: float = 0.1,
        splitter: str = "random",
        n_thresholds: int = 10,
        max_bins: int | None = None,
        n_iter_no_change: int | None = 30,
        validation_fraction: float = 0.1,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        pos_label: Any = None,
        unlabeled_label: Any = None,
    ):
        self.n_estimators = n_estimators
        self.prior = prior
        self.training_prior = training_prior
        self.scenario = scenario
        self.learning_rate = learning_rate
        self.splitter = splitter
        self.n_thresholds = n_thresholds
        self.max_bins = max_bins
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> AdaPUClassifier:
        """Fit the ensemble.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Any number type; memory maps and sparse matrices are read block by block.  NaN is a missing value.
        y : array-like of shape (n_samples,)
            PU labels: 1 for labeled positives and 0 for unlabeled rows, or as ``pos_label`` says.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each row among those of its kind, in eq. 7, the risk on held-out rows and an estimate of π.  Rows of
            weight 0 are left out.
        groups : array-like of shape (n_samples,), optional
            Group of each row, such as a patient.  Rows of a group are held out together for early stopping and for the
            threshold, and share a fold in an estimate of π.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a weight is negative or not finite, all rows of a kind have weight 0, all rows belong to one group, or a warm
            start gets another number of rows or labels, or another share of rows to hold out.
        """
        earlier = self._known_rounds()
        X, positive = self._validate_fit(X, y, reset=not earlier, dtype=ROW_TYPES, **ACCEPT_MISSING)
        X, positive, sample_weight, codes = grouped_rows(sample_weight, groups, X, positive)
        seen = rows_seen(positive)
        if earlier:
            check_same_rows(self._rows_seen, seen, f"{len(earlier)} stumps")
        counts = ones_for_none(sample_weight, len(positive))
        missing = missing_columns(X) if holds_missing(X, self) else None
        prior = self._resolve_prior(X, positive, sample_weight, codes)
        training_prior = self._resolve_training_prior(prior)
        X = X.tocsc() if sparse.issparse(X) else X
        held_out = self._rows_to_hold_out(earlier, positive, codes)
        order = np.concatenate([np.flatnonzero(positive & ~held_out), np.flatnonzero(~positive & ~held_out)])
        n_labeled = int((positive & ~held_out).sum())
        held_out_risk = None
        if held_out.any():
            rows = X[held_out], positive[held_out], counts[held_out]
            held_out_risk = HeldOutRisk(*rows, prior, self.scenario, int(self.n_iter_no_change or 0), training_prior)
        with Threads(effective_n_jobs(self.n_jobs)) as threads:
            data = encode(
                X,
                order,
                self._rows_of_thresholds(n_labeled),
                max_bins=self.max_bins,
                equal_width=self.splitter == "random",
                run=threads.run,
                missing=missing,
                counts=counts[order] if np.ptp(counts) > 0 else None,
            )
            weights = SampleWeights.initial(prior, n_labeled, len(order), self.scenario, counts[order], training_prior)
            n_thresholds = self.n_thresholds if self.splitter == "random" else None
            search = StumpSearch(data, weights, threads, n_thresholds)
            for done in earlier:
                above = done.stump.above(column_of(X, done.stump.feature)[order])
                search.replay(above, done.stump.polarity, done.step, self._normalizes())
            rounds = self._boost(search, earlier, held_out_risk)
        self._rows_seen, self._held_out, self._held_out_share = seen, np.flatnonzero(held_out), self._share_to_hold_out()
        self.__dict__.pop("held_out_risks_", None)  # of an earlier fit
        if held_out_risk is not None:
            self.held_out_risks_ = np.array(held_out_risk.risks)
            rounds = rounds[: held_out_risk.best]
        self._keep(rounds)
        if rounds:
            self._set_threshold_at_prior(X, positive, sample_weight, AdaPUClassifier._votes, codes)
        return self

    def _normalizes(self) -> bool:
        """Whether to divide weights by their signed total in every round; a subclass may override it."""
        return True

    def _step(self, alpha: float) -> float:
        """Exponent βα of the reweighting after a stump of weight α; a subclass may override it."""
        return alpha * self.learning_rate

    def _rows_of_thresholds(self, n_labeled: int) -> slice:
        """Training rows (labeled ones first) whose values bound random thresholds; a subclass may override it."""
        return slice(None)

    def _known_rounds(self) -> list[Round]:
        """Rounds from which a warm start continues."""
        if not (self.warm_start and hasattr(self, "_rounds")):
            return []
        if len(self._rounds) > self.n_estimators:
            raise ValueError(
                f"n_estimators={self.n_estimators} is less than the {len(self._rounds)} stumps already fitted; with "
                "warm_start=True it can only grow. Clone the estimator to start over."
            )
        return list(self._rounds)

    def _share_to_hold_out(self) -> float:
        return 0.0 if self.n_iter_no_change is None else float(self.validation_fraction)

    def _rows_to_hold_out(self, earlier: list[Round], positive: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
        """Mask of the rows to hold out; in a warm start, those held out before."""
        share = self._share_to_hold_out()
        if not earlier:
            rare = self._separate_ranking and self.prior_ < RARE
            too_few = rare and share * np.count_nonzero(positive) < _FEWEST_HELD_OUT_LABELS
            if not share or too_few:
                return np.zeros(len(positive), bool)
            return hold_out(positive, share, self.random_state, groups)
        if share != self._held_out_share:
            raise ValueError(
                f"n_iter_no_change={self.n_iter_no_change}, validation_fraction={self.validation_fraction}: a share {share:g} "
                f"of the rows would be held out, but the {len(earlier)} stumps already fitted were fitted with a share "
                f"{self._held_out_share:g} held out. Keep both parameters as they were, or clone the estimator to start over."
            )
        held_out = np.zeros(len(positive), bool)
        held_out[self._held_out] = True
        return held_out

    def _boost(self, search: StumpSearch, earlier: list[Round], held_out_risk: HeldOutRisk | None) -> list[Round]:
        """Continue algorithm 2 after ``earlier``, until the risk on held-out rows, if any, stops falling."""
        rounds = list(earlier)
        if held_out_risk is not None:
            for done in earlier:
                held_out_risk.add(done.stump, done.weight)
        seeds = draw_seeds(self.random_state, self.n_estimators)
        for seed in seeds[len(earlier) :]:
            stump = search.find(seed)
            if stump is None or stump.error >= 0.5:
                if not rounds:
                    reason = why_no_stump(*search.least_errors(), self.n_thresholds, self.prior_)
                    issue_warning(
                        f"No admissible stump in the first round: {reason}. The model is empty: decision_function is 0, "
                        "predict returns the unlabeled class.",
                        category=ConvergenceWarning,
                    )
                break
            perfect = stump.error <= SLACK * search.weights.absolute
            error = max(stump.error, _PERFECT_ERROR) if perfect else stump.error
            alpha = 0.5 * math.log((1 - error) / error)
            step = self._step(alpha)
            rounds.append(Round(stump, self.learning_rate * alpha, step, search.weights.negative_share()))
            if held_out_risk is not None:
                held_out_risk.add(stump, rounds[-1].weight)
                if held_out_risk.exhausted:
                    break
            if perfect:
                issue_warning(
                    f"The stump of round {len(rounds)} has no error except rounding (feature {stump.feature}, "
                    f"at {stump.threshold:g}); boosting stops, and the stump is weighted as if its error were "
                    f"{_PERFECT_ERROR:g}.",
                    category=ConvergenceWarning,
                )
                break
            search.apply(stump, step, self._normalizes())
        return rounds

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        return tags
