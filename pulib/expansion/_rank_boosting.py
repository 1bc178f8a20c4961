"""The boosting of table 1 for given preferences, and the classifier without preferences (SGBAUC)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.metrics import roc_curve
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval

from pulib._base import PUClassifierMixin
from pulib._equal_rows import rows_held_out_together
from pulib._folds import held_out_folds
from pulib._known_negatives import UNLABELED_LABEL_CONSTRAINT
from pulib._labels import POS_LABEL_CONSTRAINT, known_labels
from pulib._single import WIDE, SingleMixin
from pulib._threshold import THRESHOLD_CONSTRAINTS, PriorThresholdMixin, on_scale_of
from pulib._typing import ArrayLike, MatrixLike, RandomState
from pulib._warnings import quiet
from pulib.expansion._boost import Guess, JointRows, Round, Target, boost, learner_values, target_seeds
from pulib.expansion._losses import RankedLoss


def rows_for_auc(positive: np.ndarray, known: np.ndarray, standing: np.ndarray | None, drop_fraction: float) -> np.ndarray:
    """Lines 1 and 3 of table 1: rows with known labels, without the share ``drop_fraction`` of most preferred negatives.

    A fraction of 1 keeps the least preferred negatives.  Ties at the cut, and negatives without a preference, are kept.
    """
    rows = np.flatnonzero(known)
    if standing is None or drop_fraction == 0.0:
        return rows
    judged = known & ~positive & ~np.isnan(standing)
    n_judged = int(judged.sum())
    if n_judged == 0:
        return rows
    n_kept = max(1, n_judged - int(np.floor(drop_fraction * n_judged + 1e-9)))
    cut = np.partition(standing[judged], n_kept - 1)[n_kept - 1]
    return rows[~(judged & (standing > cut))[rows]]


def best_cut(f: np.ndarray, positive: np.ndarray) -> float:
    """Threshold between two scores with the highest balanced accuracy on rows with known labels.

    If none is better than chance, as for tied scores, it is above all scores, by more than their rounding errors.
    """
    fpr, tpr, thresholds = roc_curve(positive, f)
    gain = (tpr - fpr)[1:]
    best = np.argmax(gain)
    if gain[best] <= 0:
        return float(f.max() + 1e-9 * np.abs(f).max())
    at = thresholds[1:][best]
    return float(0.5 * (at + f[f < at].max()))


class BaseRankBoosting(PriorThresholdMixin, SingleMixin, PUClassifierMixin, BaseEstimator):
    """Base class: the fit of table 1 for given preferences, and scores of new rows."""

    _takes_unknown_labels: ClassVar[bool] = True  # NaN with 0 and 1, for pulib.utils.pu_checks
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "estimator": [HasMethods(["fit", "predict"]), None],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "subsample": [Interval(Real, 0, 1, closed="right")],
        "random_state": ["random_state"],
        "pos_label": POS_LABEL_CONSTRAINT,
        "unlabeled_label": UNLABELED_LABEL_CONSTRAINT,
        **THRESHOLD_CONSTRAINTS,
    }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = False
        return tags

    def _validate(self, X: MatrixLike, y: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return X as float32 (as trees take it, minus ``_centers``), and masks of positives and of known labels."""
        known = None
        if y is not None:
            values = np.asarray(y)
            given = known_labels(values) if values.ndim == 1 else np.ones(len(values), dtype=bool)
            if not given.all() and len(set(values[given].tolist())) > 1:  # else PU labels: missing ones mark unlabeled rows
                known = given
                y = np.array([value if is_known else values[given][0] for value, is_known in zip(values, given, strict=True)])
        X, positive = self._validate_fit(X, y, dtype=WIDE)
        X = self._fit_single(X)
        known = np.ones(len(X), dtype=bool) if known is None else known
        return X, positive & known, known

    def _make_targets(
        self,
        positive: np.ndarray,
        known: np.ndarray,
        preference: Any,
        preference_weight: float,
        drop_fraction: float,
        seeds: np.ndarray,
    ) -> tuple[list[Target], JointRows]:
        """Lines 1 to 4: rows and losses of both targets, and of the rows that have both."""
        method = self._how_to_sum()
        standing = None if preference is None else preference.standing
        rows = rows_for_auc(positive, known, standing, drop_fraction)
        auc = RankedLoss.auc(positive[rows], method)
        targets = [Target(rows, auc, 1.0, self._residual_factor(len(rows)), seeds[0])]
        if preference is None:
            return targets, JointRows(rows, (auc,))
        judged = np.flatnonzero(preference.available)
        loss = preference.loss(judged, method)
        targets.append(Target(judged, loss, preference_weight, self._residual_factor(len(judged)), seeds[1]))
        both = np.intersect1d(rows, judged)
        n_positive = int(positive[both].sum())
        joint_auc = RankedLoss.auc(positive[both], method) if 0 < n_positive < len(both) else None
        joint_preference = preference.loss(both, method) if len(both) else None
        return targets, JointRows(both, (joint_auc, joint_preference))

    def _how_to_sum(self) -> str:
        """Method for sums over pairs: "exact", "fast", or "auto" (by the number of rows); a subclass may override it."""
        return "auto"

    def _residual_factor(self, n_rows: int) -> float:
        """Factor of proportionality in eq. 6 and 7, for a target with ``n_rows``; a subclass may override it."""
        return float(n_rows)

    def _weigh_learners(self, guess: Guess) -> np.ndarray:
        """Line 11 of table 1: weights of a round's learners by one Newton step; a subclass may override it."""
        return guess.weights + guess.newton_step()

    def _run(self, X: Any, targets: Sequence[Target], joint: JointRows) -> tuple[list, np.ndarray]:
        """Run all rounds; return them and the final scores of the training rows."""
        # two rows per leaf, like WEKA's regression tree; the small learning rate replaces its pruning
        learner = DecisionTreeRegressor(min_samples_leaf=2) if self.estimator is None else self.estimator
        rounds = []
        scores = np.zeros(len(X))
        options = {"learning_rate": self.learning_rate, "subsample": self.subsample, "weigh": self._weigh_learners}
        # X was checked: the many small fits need not check it again
        with config_context(assume_finite=True, skip_parameter_validation=self.estimator is None):
            for added, after in boost(X, targets, joint, learner, n_rounds=self.n_estimators, **options):
                rounds.append(added)
                scores = after
        return rounds, scores

    def _store(self, rounds: list[Round], f: np.ndarray, positive: np.ndarray, known: np.ndarray) -> None:
        self.estimators_ = [added.learners for added in rounds]
        self.estimator_weights_ = np.array([added.weights for added in rounds])
        self.offset_ = best_cut(f[known], positive[known])

    def staged_decision_function(self, X: MatrixLike) -> Iterator[np.ndarray]:
        """Scores after each round, all with the final ``offset_`` and ``threshold_``.

        Yields
        ------
        scores : array of shape (n_samples,)
        """
        yield from map(self._above_threshold, self._staged(self._validate_single(X)))

    def _staged(self, X: np.ndarray) -> Iterator[np.ndarray]:
        scores = np.full(len(X), -self.offset_)
        for learners, weights in zip(self.estimators_, self.estimator_weights_, strict=True):
            for learner, weight in zip(learners, weights, strict=True):
                scores = scores + weight * learner_values(learner, X)
            yield scores

    def _held_out_scores(
        self, X: Any, positive: np.ndarray, fit_params: Callable[[np.ndarray], dict[str, Any]] | None = None
    ) -> np.ndarray:
        """Cross-fitted scores on the scale of the model's own scores, because the AUC leaves the zero of each fit arbitrary."""
        plain, own = clone(self).set_params(prior=None, pos_label=None, unlabeled_label=None), _last(self._staged(X))
        y, scores, X = positive.astype(np.intp), np.empty(len(positive)), self._in_place(X)
        for train, held_out in held_out_folds(positive, equal=rows_held_out_together(X, positive, self.prior)):
            with quiet():
                fitted = clone(plain).fit(X[train], y[train], **({} if fit_params is None else fit_params(train)))
            scores[held_out] = on_scale_of(own, fitted.decision_function(X[held_out]), fitted.decision_function(X[train]))
        return scores

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Scores of how early rows are expected to turn positive; higher means earlier.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples,)
            ``F_T(x) - offset_``, minus ``threshold_`` if ``prior`` sets one; above 0 if the row already looks positive at
            training time.
        """
        return _last(self.staged_decision_function(X))


def _last(scores: Iterator[np.ndarray]) -> np.ndarray:
    return deque(scores, maxlen=1).pop()


class AUCBoostingClassifier(BaseRankBoosting):
    """Stochastic gradient boosting of the AUC: SGBDota without preferences (SGBAUC in the paper).

    Parameters
    ----------
    n_estimators : int, default=50
        Number of rounds T.
    estimator : regressor or None, default=None
        Base learner h; None is a least-squares regression tree with at least two rows per leaf.
    learning_rate : float, default=0.01
        Shrinkage ν.
    subsample : float in (0, 1], default=0.5
        Share of the rows that each base learner is fitted to.
    random_state : int, RandomState instance or None, default=None
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows, needed with ``pos_label`` unless it is missing.
    prior : float in (0, 1), "estimate" or None, default=None
        π, the share of positives in the population.  If given, the threshold is set on cross-fitted scores of the training
        rows, so that this share of the population is predicted positive.  "estimate" estimates π from the same scores.  None
        keeps the learner's own threshold.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows represent the population, or the labeled and unlabeled rows together do.  Used with
        ``prior``.

    Attributes
    ----------
    estimators_ : list of tuples of one regressor, one per round
    estimator_weights_ : array of shape (n_estimators, 1)
        νβ of each round.
    offset_ : float
        Threshold subtracted from the scores: the one with the best balanced accuracy on the training labels or, if none is
        better than chance, one above the scores of all training rows.
    classes_ : array of shape (2,)
    n_features_in_ : int
    prior_, threshold_, slope_ : float
        π, the threshold, and the slope of the log-odds above it; only with ``prior``.
    prior_estimate_ : PriorEstimate
        π with its interval, if ``fit`` estimated it.

    References
    ----------
    Yu and Zhou (2010), section 5.1; see :class:`SGBDotaClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import AUCBoostingClassifier
    >>> X = np.arange(20.0)[:, None]
    >>> y = np.arange(20) > 14
    >>> boosted = AUCBoostingClassifier(random_state=0).fit(X, y)
    >>> boosted.predict(X[[0, 19]])
    array([False,  True])
    """

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        estimator: Any = None,
        learning_rate: float = 0.01,
        subsample: float = 0.5,
        random_state: RandomState = None,
        pos_label: Any = None,
        prior: float | str | None = None,
        scenario: str = "two_sample",
        unlabeled_label: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.estimator = estimator
        self.learning_rate = learning_rate
        self.subsample = subsample
        self.random_state = random_state
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label
        self.prior = prior
        self.scenario = scenario

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: MatrixLike, y: ArrayLike) -> AUCBoostingClassifier:
        """Boost the AUC of positives against negatives.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels at training time: 1 for positives and 0 for others, or as ``pos_label`` says, and NaN for unknown labels,
            whose rows are left out.  If all other labels are 1, NaN marks unlabeled rows.
        """
        X, positive, known = self._validate(X, y)
        seeds = target_seeds(check_random_state(self.random_state), self.n_estimators)
        targets, joint = self._make_targets(positive, known, None, 0.0, 0.0, seeds)
        rounds, f = self._run(X, targets, joint)
        self._store(rounds, f, positive, known)
        self._set_threshold(X[known], positive[known])
        return self
