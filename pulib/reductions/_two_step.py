"""Two-step learning with reliable negatives, and CVIR, around any classifier."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_random_state, indexable
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from pulib._early_stopping import as_with_rows
from pulib._priors._from_scores import BestBin
from pulib._priors._interval import hidden_share
from pulib._routing import params_of_rows
from pulib._typing import RandomState
from pulib._warnings import issue_warning, quiet, threshold_warning
from pulib._weights import ones_for_none, weighted_counts
from pulib.reductions._base import HeldOutReduction, positive_score
from pulib.reductions._reliable import all_but_highest, find_reliable, lowest

#: If a classifier predicts more than this share of labeled rows negative, the first classifier is kept (Li and Liu 2003).
_LOST = 0.05


class TwoStepPUClassifier(HeldOutReduction):
    """Two-step PU learning: find reliable negatives, then separate labeled rows from them (Liu et al., 2002).

    The first step selects unlabeled rows that are surely negative; the second leaves out the doubtful ones.  No π is needed.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Classifier of both steps.  None means 100 extra trees with a fixed seed.
    reliable : {"spy", "quantile", "knn", "rocchio", "cvir"}, default="spy"
        How to find reliable negatives.  Scores are those of classifiers of "labeled or not" that have not seen the row.

        - "spy" hides 15% of the labeled rows among the unlabeled ones, and takes the rows that score below all but 5% of these
          spies.
        - "quantile" takes the ``share`` of unlabeled rows with the lowest scores.
        - "knn" takes the ``share`` that is farthest from labeled rows, by the distance to the fifth nearest one.  Scale the
          features.
        - "rocchio" takes rows whose direction is nearer to the prototype of unlabeled rows than to that of labeled rows (for
          text).
        - "cvir" leaves out the share α with the highest scores, ``max_rounds`` times.  Each time, the classifiers learn labeled
          rows against the rows kept the time before (Garg et al., 2021).  α, the share of positives among unlabeled rows,
          follows from a numeric ``prior`` or is estimated each time from the best bin of the scores.
    share : float in (0, 1), default=0.5
        Share of the unlabeled rows that "quantile" and "knn" take.  At most 1 - π of them are negative.
    max_rounds : int, default=1
        Maximum number of classifiers in the second step.  Each adds the rows that it predicts negative to the reliable
        negatives of the next.  The rounds end early if there are none to add, or if a classifier predicts over 5% of the
        labeled rows negative (the first one is then kept).  With "cvir", the maximum number of times that rows are left out;
        the rounds end early if the same rows are left out twice in a row.
    prior : float in (0, 1), "estimate" or None, default=None
        Class prior π.  It sets the threshold so that a share π of the population is predicted positive.  None keeps the
        classifier's own threshold, which separates labeled rows from reliable negatives.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows represent the population, or the labeled and unlabeled rows together do.  Used with
        ``prior``.
    oob_score : bool, default=False
        Whether to score the training rows with models that have not seen them.
    random_state : int, RandomState instance or None, default=None
        Seed for drawing spies.
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows, needed with ``pos_label`` unless it is missing.

    Attributes
    ----------
    estimator_ : classifier
        Classifier of the last round; its labels are 1 (labeled) and 0 (reliable negatives; with "cvir", rows not left out).
    n_reliable_ : int
        Number of reliable negatives that it was fitted to.
    n_rounds_ : int
    prior_, threshold_, slope_ : float
        As in :class:`PUThresholdClassifier`; with ``prior`` only.
    prior_estimate_ : PriorEstimate
        π with its interval, if ``fit`` estimated it.
    oob_decision_function_ : array of shape (n_samples,)
        With ``oob_score``: ``decision_function`` of each row by both steps on the other four fifths (NaN if its weight is 0).
        With "cvir", the classifier of the last round is fitted to those of its rows that are in the other four fifths.
    classes_ : array of shape (2,)
    n_features_in_ : int

    Warns
    -----
    PUWarning
        If the first step finds no reliable negatives.  The ``share`` with the lowest scores is then used.  Without ``prior``
        (except with "spy"), also if a constant prediction seems more accurate, by the best bin of held-out scores.

    Notes
    -----
    CVIR gives labeled and remaining rows equal total weight.  To do the same, use a classifier with
    ``class_weight="balanced"``.  This matters for its own threshold only; with ``prior``, π sets the threshold.
    :class:`CVIRClassifier` is the paper's method for a network, which leaves rows out between epochs.

    References
    ----------
    Liu, Lee, Yu and Li, Partially supervised classification of text documents (ICML 2002), for spies; Li and Liu, Learning to
    classify texts using positive and unlabeled data (IJCAI 2003), for Rocchio and the iterations; Garg, Wu, Smola, Balakrishnan
    and Lipton, Mixture proportion estimation and PU learning: a modern approach (NeurIPS 2021), algorithms 2 and 3, for CVIR.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from pulib import TwoStepPUClassifier
    >>> rng = np.random.default_rng(0)
    >>> truth = np.r_[np.ones(200, bool), rng.random(800) < 0.4]
    >>> X = rng.normal(size=(1000, 2)) + np.where(truth, 1.5, -1.5)[:, None]
    >>> y = np.r_[np.ones(200), np.zeros(800)]
    >>> model = TwoStepPUClassifier(LogisticRegression(), random_state=0).fit(X, y)
    >>> print(f"accuracy {np.mean((model.predict(X) == 1) == truth):.2f}")
    accuracy 0.97
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **HeldOutReduction._parameter_constraints,
        "reliable": [StrOptions({"spy", "quantile", "knn", "rocchio", "cvir"})],
        "share": [Interval(RealNotInt, 0, 1, closed="neither")],
        "max_rounds": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    _cross_fits = True
    _chooses_rows = True

    def __init__(
        self,
        estimator: Any = None,
        *,
        reliable: str = "spy",
        share: float = 0.5,
        max_rounds: int = 1,
        prior: float | str | None = None,
        scenario: str = "two_sample",
        oob_score: bool = False,
        random_state: RandomState = None,
        pos_label: Any = None,
        unlabeled_label: Any = None,
    ) -> None:
        self.estimator = estimator
        self.reliable = reliable
        self.share = share
        self.max_rounds = max_rounds
        self.prior = prior
        self.scenario = scenario
        self.oob_score = oob_score
        self.random_state = random_state
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label

    def _fit(self, X: Any, positive: np.ndarray, weights: np.ndarray | None) -> None:
        (X,) = indexable(X)
        passed, rng = self._base_params, check_random_state(self.random_state)
        if self.reliable == "cvir":
            self._ignore_likely_positives(X, positive, weights)
            return

        def scores_of(labeled: np.ndarray) -> np.ndarray:
            return self._held_out_scores_of_base(self._base(), X, labeled, positive_score)

        negative = find_reliable(self.reliable, X, positive, scores_of, self.share, rng)
        if not negative.any():
            issue_warning(
                f"TwoStepPUClassifier: reliable={self.reliable!r} finds no unlabeled row that is surely negative, so the "
                f"{self.share:.0%} with the lowest scores are used. Label more rows, use an estimator that ranks better, or "
                "pass reliable='quantile'."
            )
            negative = lowest(scores_of(positive), ~positive, self.share)
            if not negative.any():  # all tie
                negative = ~positive
        self._learn(X, positive, negative, passed)
        self._base_params = passed
        if self.prior is None and self.reliable != "spy":
            self._warn_of_threshold(X, positive, weights, scores_of(positive))
        scores = None
        if self._holds_out():
            plain = clone(self).set_params(prior=None, oob_score=False, pos_label=None, unlabeled_label=None)
            plain.set_params(random_state=int(rng.randint(2**31 - 1)))
            plain.set_params(estimator=as_with_rows(plain.estimator, int(positive.sum()) + self.n_reliable_))
            with quiet():
                scores = self._held_out_scores_of_base(plain, X, positive, positive_score)
        self._keep_held_out(X, positive, weights, scores)

    def _ignore_likely_positives(self, X: Any, positive: np.ndarray, weights: np.ndarray | None) -> None:
        """Run CVIR: leave out the unlabeled rows that score highest, in rounds, and learn from the others."""
        passed, ones, rest, n_rounds = self._base_params, ones_for_none(weights, len(positive)), ~positive, 0

        def scored() -> np.ndarray:
            return self._held_out_scores_of_base(self._base(), X, positive, positive_score, trained=rest)

        scores = scored()
        while n_rounds < self.max_rounds:
            share = self._share_of_unlabeled(scores, positive, ones)
            found, n_rounds = all_but_highest(scores, ~positive, share, ones), n_rounds + 1
            if np.array_equal(found, rest):
                break
            rest = found
            scores = scored()
        rows = np.flatnonzero(positive | rest)
        self._base_params = params_of_rows(X, passed, rows)
        self.estimator_ = self._fit_base(_safe_indexing(X, rows), positive[rows])
        self.n_rounds_, self.n_reliable_ = n_rounds, int(rest.sum())
        if self.prior is None:
            self._warn_of_threshold(X, positive, weights, scores)
        self._keep_held_out(X, positive, weights, scores)

    def _share_of_unlabeled(self, scores: np.ndarray, positive: np.ndarray, weights: np.ndarray) -> float:
        """Return α, from π or from the best bin of held-out scores."""
        if self.prior is None or self.prior == "estimate":
            return min(BestBin(scores, positive, binomial=False).share(weights), 1.0)
        return hidden_share(self.prior, *weighted_counts(positive, weights), self.scenario)

    def _warn_of_threshold(self, X: Any, positive: np.ndarray, weights: np.ndarray | None, scores: np.ndarray) -> None:
        """Warn if many more rows are predicted positive than the best bin of held-out scores allows."""
        ones = ones_for_none(weights, len(positive))
        called = positive_score(self.estimator_, X)[~positive] > 0
        share = BestBin(scores, positive, binomial=False).share(ones)
        message = threshold_warning(type(self).__name__, share, float(np.average(called, weights=ones[~positive])))
        issue_warning(message)

    def _learn(self, X: Any, positive: np.ndarray, negative: np.ndarray, passed: dict[str, Any]) -> None:
        """Run the second step in rounds, and set the fitted classifier."""
        rounds: list[tuple[Any, int]] = []
        while len(rounds) < self.max_rounds:
            rows = np.flatnonzero(positive | negative)
            self._base_params = params_of_rows(X, passed, rows)
            rounds.append((self._fit_base(_safe_indexing(X, rows), positive[rows]), int(negative.sum())))
            if len(rounds) == self.max_rounds:
                break
            called = positive_score(rounds[-1][0], X) <= 0
            if called[positive].mean() > _LOST:
                del rounds[1:]
                break
            if not (called & ~positive & ~negative).any():
                break
            negative = negative | (called & ~positive)
        self.n_rounds_ = len(rounds)
        self.estimator_, self.n_reliable_ = rounds[-1]

    def _class_share_warning(self, predicted: np.ndarray) -> str:
        """Accept the classifier's own threshold, which separates positives from reliable negatives."""
        return super()._class_share_warning(predicted) if hasattr(self, "threshold_") else ""
