"""Trials of the PU Extra Trees paper (Wilton et al., NeurIPS 2022): sections 5.1 and 5.2, appendices I to M.

The classes of tasks in ``study.py`` describe each.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import accuracy_score, f1_score

from pulab.trials.cost import Timer
from pulab.trials.protocol import Rows, build, load_rows, takes_true_labels, warm_up
from pulab.trials.trial import TrialContext, TrialResult
from pulib.metrics import pu_risk
from studies.puet.study import RELEASED, Classify, ClassImportance, Thresholds, Time, TopFeatures, Trees


def _rows(context: TrialContext, *, true_labels: bool = False) -> Rows:
    """Return P stacked on U, marked 1 and 0, or all training rows, each once, with their true labels."""
    if not (true_labels or takes_true_labels(context)):
        return load_rows(context)
    each = np.union1d(context.split.labeled, context.split.unlabeled)
    return load_rows(context, train=(each, each[:0]), true_labels=True)


def _build(context: TrialContext, method: Any = None, *, prior: float | None = None, **params: Any) -> Any:
    """Build an estimator; trees that minimize the risk of positive and negative rows take no π."""
    method = context.method if method is None else method
    if "threshold_range" in context.task.params:
        method = replace(method, estimator=RELEASED)
    risk = {**method.params, **context.task.params, **params}.get("risk")
    prior = None if risk == "pn" else context.split.prior if prior is None else prior
    return build(context, method=method, prior=prior, **params)


def _seconds(context: TrialContext, estimator: Any, rows: Rows) -> float:
    """Fit, and return the seconds; kernels are compiled or loaded before."""
    warm_up(estimator, rows.X, rows.y)
    with Timer(context.n_jobs) as timer:
        estimator.fit(rows.X, rows.y)
    return timer.seconds


def _classify(context: TrialContext) -> TrialResult:
    rows = _rows(context)
    estimator = _build(context)
    fitting = _seconds(context, estimator, rows)
    with Timer(context.n_jobs) as predicting:
        predicted = estimator.predict(rows.X_test)
    result = TrialResult(seconds={"fit": fitting, "predict": predicting.seconds})
    result.scalars = {
        "accuracy": float(accuracy_score(rows.truth_test, predicted)),
        "f_score": float(f1_score(rows.truth_test, predicted, zero_division=0.0)),
        "test_risk": float(np.mean(rows.truth_test != predicted)),
        "n_train": float(len(np.union1d(context.split.labeled, context.split.unlabeled))),
        "n_test": float(len(rows.truth_test)),
        "n_features": float(rows.X.shape[1]),
        "prior": context.split.prior,
    }
    risk = getattr(estimator, "risk", None)
    if risk in ("upu", "nnpu"):
        scores = estimator.decision_function(rows.X)
        result.scalars["train_risk"] = pu_risk(rows.y, scores, prior=context.split.prior, risk=risk)
    if context.task.importance and hasattr(estimator, "feature_importances_"):  # networks have none
        result.series["importance"] = _importances(estimator, normalized=False)
    return result


def _time(context: TrialContext) -> TrialResult:
    seconds = {}
    for name, method in context.task.timed.items():
        rows = _rows(context, true_labels=method.labels == "all")
        estimator = _build(context, method)
        times = [_seconds(context, clone(estimator), rows) for _ in range(context.task.times)]
        seconds[name] = float(np.median(times))
    return TrialResult(scalars={"n_train": float(len(rows.X))}, seconds=seconds)


def _thresholds(context: TrialContext) -> TrialResult:
    rows = _rows(context)
    result = TrialResult()
    for number in context.task.n_thresholds:
        estimator = _build(context, n_thresholds=number)
        result.seconds[f"fit_{number}"] = _seconds(context, estimator, rows)
        result.scalars[f"accuracy_{number}"] = float(accuracy_score(rows.truth_test, estimator.predict(rows.X_test)))
    reference = context.task.reference
    if reference:  # fewer trees, since the time is proportional to their number
        estimator = _build(context, reference)
        result.seconds["reference"] = _seconds(context, estimator, rows) * reference.times
    return result


def _importances(estimator: Any, *, normalized: bool) -> np.ndarray:
    """Return risk reduction importances, or scikit-learn's Gini importances."""
    if hasattr(estimator, "risk_reduction_importances"):
        return estimator.risk_reduction_importances(normalized=normalized)
    return estimator.feature_importances_


def _class_importance(context: TrialContext) -> TrialResult:
    train = np.union1d(context.split.labeled, context.split.unlabeled)
    X, target = np.asarray(context.data.X[train]), context.data.target[train]
    n_labeled = len(context.split.labeled)
    result = TrialResult()
    for code in np.unique(target):
        positive = target == code
        estimator = _build(context, prior=float(np.mean(context.data.target == code)))
        if takes_true_labels(context):
            estimator.fit(X, positive.astype(np.int64))
        else:
            rng = np.random.default_rng([context.shared_seed, int(code)])
            positives = np.flatnonzero(positive)
            drawn = np.sort(rng.choice(positives, min(n_labeled, len(positives)), replace=False))
            y = np.repeat([1, 0], [len(drawn), len(X)])
            estimator.fit(np.concatenate([X[drawn], X]), y)
        result.series[f"importance_{code}"] = _importances(estimator, normalized=False)
        result.series[f"normalized_importance_{code}"] = _importances(estimator, normalized=True)
    return result


def _top_features(context: TrialContext) -> TrialResult:
    rows = _rows(context)
    forest = _build(context).fit(rows.X, rows.y)
    sizes = context.task.sizes or list(range(1, rows.X.shape[1] + 1))
    result = TrialResult()
    for name, normalized in (("risk_reduction", False), ("impurity_reduction", True)):
        order = np.argsort(-forest.risk_reduction_importances(normalized=normalized), kind="stable")
        accuracies = []
        for k in sizes:
            chosen = order[:k]
            estimator = _build(context).fit(rows.X[:, chosen], rows.y)
            accuracies.append(accuracy_score(rows.truth_test, estimator.predict(rows.X_test[:, chosen])))
        result.series[f"accuracy_by_{name}"] = (np.asarray(sizes), np.asarray(accuracies))
        result.scalars[f"area_by_{name}"] = float(np.trapezoid(accuracies, sizes))
    result.scalars["area_difference"] = result.scalars["area_by_risk_reduction"] - result.scalars["area_by_impurity_reduction"]
    return result


def _trees(context: TrialContext) -> TrialResult:
    result = TrialResult()
    for risk in ("pn", "nnpu", "upu"):
        rows = _rows(context, true_labels=risk == "pn")
        forests = {
            loss: _build(context, risk=risk, loss=loss).fit(rows.X, rows.y).estimators_
            for loss in ("quadratic", "savage", "logistic")
        }
        same = [_same_splits(a, b) for a, b in zip(forests["quadratic"], forests["savage"], strict=True)]
        result.scalars[f"same_{risk}"] = float(np.mean(same))
        for loss in ("quadratic", "logistic"):
            result.scalars[f"depth_{risk}_{loss}"] = float(np.mean([tree.get_depth() for tree in forests[loss]]))
    rows = _rows(context)
    least, span = rows.X.min(axis=0), np.ptp(rows.X, axis=0)
    for name, shift, scale in (("plain", 0.0, 1.0), ("scaled", least, np.where(span > 0, span, 1.0))):
        forest = _build(context).fit((rows.X - shift) / scale, rows.y)
        predicted = forest.predict((rows.X_test - shift) / scale)
        result.scalars[f"accuracy_{name}"] = float(accuracy_score(rows.truth_test, predicted))
    return result


def _same_splits(a: Any, b: Any) -> bool:
    """Return whether two trees have the same splits."""
    return np.array_equal(a.tree_.feature, b.tree_.feature) and np.array_equal(a.tree_.threshold, b.tree_.threshold)


RUN = {
    Classify: _classify,
    Time: _time,
    Thresholds: _thresholds,
    ClassImportance: _class_importance,
    TopFeatures: _top_features,
    Trees: _trees,
}
