"""Trials of the study of results published elsewhere; the classes of tasks in ``study.py`` describe each."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from pulab.trials.cost import Timer
from pulab.trials.protocol import Rows, build, given_prior, load_rows, predictions_of, scores_of
from pulab.trials.trial import TrialContext, TrialResult
from studies.elsewhere.study import OnTestRows, OnUnlabeled

#: Classes whose fit scores each training row with models that were not trained on it.
OWN_SCORES = ("pulib.reductions.DEDPULClassifier", "pulib.reductions.PUBaggingClassifier")


def _on_unlabeled(context: TrialContext) -> TrialResult:
    rows = load_rows(context)
    unlabeled = rows.y == 0
    estimator = build(context, prior=given_prior(context))
    with Timer(context.n_jobs) as fitting:
        scores = _held_out(estimator, rows, context)[unlabeled]
    truth = rows.truth[unlabeled]
    scalars = {
        "unlabeled_accuracy": float(accuracy_score(truth, scores > 0)),
        "unlabeled_auc": float(roc_auc_score(truth, scores)),
        "share_positive": float(np.mean(scores > 0)),
    }
    return TrialResult(scalars=scalars, seconds={"fit": fitting.seconds})


def _held_out(estimator: Any, rows: Rows, context: TrialContext) -> np.ndarray:
    """Return scores of the training rows by models that were not trained on them; positive scores mean positives."""
    if context.method.estimator in OWN_SCORES:
        return estimator.fit(rows.X, rows.y).oob_decision_function_
    scores = np.empty(len(rows.y))
    folds = StratifiedKFold(context.task.n_folds, shuffle=True, random_state=context.shared_seed)
    for train, rest in folds.split(rows.X, rows.y):
        scores[rest] = scores_of(clone(estimator).fit(rows.X[train], rows.y[train]), rows.X[rest])
    return scores


def _on_test_rows(context: TrialContext) -> TrialResult:
    rows = load_rows(context)
    estimator = build(context, prior=given_prior(context))
    with Timer(context.n_jobs) as fitting:
        estimator.fit(rows.X, rows.y)
    scalars = {
        "accuracy": float(accuracy_score(rows.truth_test, predictions_of(estimator, rows.X_test))),
        "auc": float(roc_auc_score(rows.truth_test, scores_of(estimator, rows.X_test))),
    }
    return TrialResult(scalars=scalars, seconds={"fit": fitting.seconds})


RUN = {OnUnlabeled: _on_unlabeled, OnTestRows: _on_test_rows}
