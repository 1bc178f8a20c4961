"""Trials of the level field: every method on the same rows with the same labels, judged by the true labels of test rows.

The classes of tasks in ``study/experiments.py`` describe each.  Learners are given the task's ``scenario``, and π according to
its ``given_prior``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    balanced_accuracy_score,
    brier_score_loss,
    f1_score,
    roc_auc_score,
)
from sklearn.utils import check_random_state

from pulab.trials.cost import Cost, at_most
from pulab.trials.protocol import Rows, build, given_prior, load_rows, predictions_of, scores_of, warm_up
from pulab.trials.trial import TrialContext, TrialResult
from pulib import PUThresholdClassifier, UnbiasedPUClassifier
from studies.levelfield.study import Fit, Tune
from studies.levelfield.tuning import tune

#: A feature is discrete if it has at most this many values among about this many rows.
FEW_VALUES, ROWS_LOOKED_AT = 20, 1000
N_BINS = 10


class ShareAtRandom(BaseEstimator):
    """Predicts each row positive with the same probability: a baseline that every method has to beat.

    Parameters
    ----------
    share : float in [0, 1] or None, default=None
        The probability; None means ``prior``.  With 0, no row is predicted positive; with 1, all rows are.
    prior : float or None, default=None
    random_state : int, RandomState instance or None, default=None
    """

    def __init__(
        self, share: float | None = None, *, prior: float | None = None, random_state: int | np.random.RandomState | None = None
    ) -> None:
        self.share = share
        self.prior = prior
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike) -> ShareAtRandom:
        """Learn nothing."""
        share = self.prior if self.share is None else self.share
        if share is None or not 0 <= share <= 1:
            raise ValueError(f"share={self.share}, prior={self.prior}; expected one of them from 0 to 1")
        self.share_ = float(share)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return 1 for rows predicted positive, and -1 for the others."""
        drawn = check_random_state(self.random_state).uniform(size=len(X))
        return np.where(drawn < self.share_, 1.0, -1.0)

    def predict(self, X: Any) -> np.ndarray:
        """Return 1 for rows predicted positive, and 0 for the others."""
        return (self.decision_function(X) > 0).astype(np.int64)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the same probability for every row."""
        return np.tile([1.0 - self.share_, self.share_], (len(X), 1))


class PUSB(BaseEstimator):
    """The logistic PU risk, with a threshold that a share π of the rows exceeds (Kato, Teshima and Honda, 2019).

    For labels that favor clear cases: the risk then ranks rows correctly, but its own threshold is wrong.

    Parameters
    ----------
    prior : float in (0, 1) or None, default=None
        π; required.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
    """

    def __init__(self, *, prior: float | None = None, scenario: str = "two_sample") -> None:
        self.prior = prior
        self.scenario = scenario

    def fit(self, X: Any, y: ArrayLike) -> PUSB:
        """Fit the risk's minimizer to all rows, and the threshold to held-out scores."""
        risk = UnbiasedPUClassifier(loss="logistic", prior=self.prior, scenario=self.scenario)
        self.model_ = PUThresholdClassifier(risk, prior=self.prior, scenario=self.scenario).fit(X, y)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return scores; positive scores mean the positive class."""
        return self.model_.decision_function(X)

    def predict(self, X: Any) -> np.ndarray:
        """Return 1 for rows predicted positive, and 0 for the others."""
        return self.model_.predict(X)


def _probabilities(estimator: Any, X: np.ndarray) -> np.ndarray | None:
    try:
        return np.asarray(estimator.predict_proba(X)[:, 1], dtype=np.float64)
    except (AttributeError, NotImplementedError):  # other packages have the method and raise an error
        return None


def fit(context: TrialContext) -> TrialResult:
    """Train the method, and measure it on the test rows."""
    rows, prior = load_rows(context), given_prior(context)
    estimator = build(context, prior=prior)
    warm_up(estimator, rows.X, rows.y)
    with Cost(context.n_jobs) as fitting, at_most(context.task.limit):
        estimator.fit(rows.X, rows.y)
    with Cost(context.n_jobs) as predicting:
        answers = predictions_of(estimator, rows.X_test)
    scalars = quality(rows.truth_test, answers, scores_of(estimator, rows.X_test), _probabilities(estimator, rows.X_test))
    return TrialResult(
        scalars={**scalars, **facts(context, rows), "prior_given": prior},
        seconds={"fit": fitting.seconds, "predict": predicting.seconds, **fitting.memory()},
    )


def quality(
    truth: np.ndarray, answers: np.ndarray, scores: np.ndarray, probabilities: np.ndarray | None = None
) -> dict[str, float]:
    """Return metrics of predictions, scores and, if given, probabilities.

    Metrics are shares from 0 to 1; ``calibration_error`` is the expected calibration error over ten bins of equal width.
    """
    found = {
        "accuracy": accuracy_score(truth, answers),
        "balanced_accuracy": balanced_accuracy_score(truth, answers),
        "f1": f1_score(truth, answers, zero_division=0.0),
        "auc": roc_auc_score(truth, scores),
        "average_precision": average_precision_score(truth, scores),
        "share_positive": np.mean(answers),
    }
    if probabilities is not None:
        p = np.clip(probabilities, 0.0, 1.0)  # Elkan and Noto's correction in other packages exceeds 1
        found |= {"brier": brier_score_loss(truth, p), "calibration_error": calibration_error(truth, p)}
    return {name: float(value) for name, value in found.items()}


def calibration_error(truth: np.ndarray, probabilities: np.ndarray) -> float:
    """Mean distance of probabilities from shares of positives over ten bins of equal width, weighted by rows per bin.

    >>> import numpy as np
    >>> calibration_error(np.array([0, 1, 1, 1]), np.array([0.25, 0.25, 0.85, 0.85]))
    0.2
    """
    bins = np.minimum((probabilities * N_BINS).astype(np.int64), N_BINS - 1)
    gaps = np.bincount(bins, weights=probabilities - truth, minlength=N_BINS)
    return float(np.sum(np.abs(gaps)) / len(truth))


def facts(context: TrialContext, rows: Rows) -> dict[str, float]:
    """Return properties of a trial's task."""
    looked_at = np.sort(rows.X[:: max(1, len(rows.X) // ROWS_LOOKED_AT)], axis=0)
    n_values = 1 + np.count_nonzero(np.diff(looked_at, axis=0), axis=0)
    counts = {
        "prior_true": context.split.prior,
        "n_labeled": len(context.split.labeled),
        "n_unlabeled": len(context.split.unlabeled),
        "n_test": len(rows.truth_test),
        "n_features": rows.X.shape[1],
        "share_discrete": np.mean(n_values <= FEW_VALUES),
    }
    return {name: float(value) for name, value in counts.items()}


RUN = {Fit: fit, Tune: tune}
