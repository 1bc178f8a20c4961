"""Trials of the PU Extra Trees paper (Wilton et al., NeurIPS 2022): sections 5.1 and 5.2, appendices I to M.

What a trial does is its setting's ``task``:

- ``classify``: train on the split, measure on the test rows (tables 1 to 7 and 11; figure 1);
- ``time``: train what the setting lists under ``timed``, one after the other (table 8);
- ``thresholds``: ``classify`` for each number of thresholds in ``n_thresholds``, beside a scikit-learn forest (tables 9, 10);
- ``class_importance``: importances with each class in turn as the positive one (figures 2 to 4);
- ``top_features``: accuracy with the k most important features, by either importance (figure 5).

The setting's ``params`` go to every estimator that has parameters of those names.  A method with ``options: {labels: all}`` is
trained on the true labels of the training rows.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import accuracy_score, f1_score

from pulab.trials.trial import TrialContext, TrialResult, import_object, make_estimator
from pulib.metrics import pu_risk

_WARM_UP_ROWS = 32


def run(context: TrialContext) -> TrialResult:
    """Run one trial; see the module's description."""
    task = context.setting.get("task", "classify")
    if task not in _TASKS:
        raise ValueError(f"setting {context.setting_name}: task={task!r}; expected one of {sorted(_TASKS)}")
    return _TASKS[task](context)


def training_rows(context: TrialContext, *, labels: str | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Rows and labels to train on: P stacked on U, marked 1 and 0; or all training rows with their true labels."""
    X, split = context.data.X, context.split
    if (labels or context.method.get("options", {}).get("labels")) == "all":
        rows = np.union1d(split.labeled, split.unlabeled)
        return np.asarray(X[rows]), context.data.y[rows].astype(np.int64)
    rows = np.concatenate([split.labeled, split.unlabeled])
    return np.asarray(X[rows]), np.repeat([1, 0], [len(split.labeled), len(split.unlabeled)])


def build(context: TrialContext, method: Mapping[str, Any], *, prior: float, **params: Any) -> Any:
    """An estimator with the setting's parameters and ``params`` as far as it has them.

    It is told the prior where it uses one, unless the method's own parameters say otherwise.
    """
    accepted = import_object(method["estimator"])._get_param_names()
    merged = {**method.get("params", {}), **context.setting.get("params", {}), **params}
    kept = {name: value for name, value in merged.items() if name in accepted or name in method.get("params", {})}
    if "prior" in accepted and kept.get("risk") != "pn" and "prior" not in method.get("params", {}):
        kept["prior"] = prior
    return make_estimator(method["estimator"], kept, context.seed, context.n_jobs)


def timed_fit(estimator: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Fit, and return the seconds it took; kernels are compiled or loaded before, on a few rows."""
    if type(estimator).__module__.startswith("pulib.trees"):
        rows = np.concatenate([np.flatnonzero(y == label)[:_WARM_UP_ROWS] for label in (0, 1)])
        clone(estimator).set_params(n_estimators=1).fit(X[rows], y[rows]).predict(X[rows])
    start = time.perf_counter()
    estimator.fit(X, y)
    return time.perf_counter() - start


def _test_rows(context: TrialContext) -> tuple[np.ndarray, np.ndarray]:
    test = context.split.test
    return np.asarray(context.data.X[test]), context.data.y[test]


def _classify(context: TrialContext) -> TrialResult:
    X, y = training_rows(context)
    X_test, y_test = _test_rows(context)
    estimator = build(context, context.method, prior=context.split.prior)
    fit_seconds = timed_fit(estimator, X, y)
    start = time.perf_counter()
    predicted = estimator.predict(X_test)
    predict_seconds = time.perf_counter() - start
    result = TrialResult(seconds={"fit": fit_seconds, "predict": predict_seconds})
    result.scalars = {
        "accuracy": float(accuracy_score(y_test, predicted)),
        "f_score": float(f1_score(y_test, predicted, zero_division=0.0)),
        "test_risk": float(np.mean(y_test != predicted)),
        "n_train": float(len(np.union1d(context.split.labeled, context.split.unlabeled))),
        "n_test": float(len(y_test)),
        "n_features": float(X.shape[1]),
        "prior": context.split.prior,
    }
    risk = getattr(estimator, "risk", None)
    if risk in ("upu", "nnpu"):
        result.scalars["train_risk"] = pu_risk(y, estimator.decision_function(X), prior=context.split.prior, risk=risk)
    if context.setting.get("importance") and hasattr(estimator, "feature_importances_"):  # networks have none
        result.series["importance"] = _importances(estimator, normalized=False)
    return result


def _time(context: TrialContext) -> TrialResult:
    seconds = {}
    for name, method in context.setting["timed"].items():
        X, y = training_rows(context, labels=method.get("labels"))
        estimator = build(context, method, prior=context.split.prior)
        seconds[name] = float(np.median([timed_fit(clone(estimator), X, y) for _ in range(context.setting.get("times", 1))]))
    return TrialResult(scalars={"n_train": float(len(X))}, seconds=seconds)


def _thresholds(context: TrialContext) -> TrialResult:
    X, y = training_rows(context)
    X_test, y_test = _test_rows(context)
    result = TrialResult()
    for number in context.setting["n_thresholds"]:
        estimator = build(context, context.method, prior=context.split.prior, n_thresholds=number)
        result.seconds[f"fit_{number}"] = timed_fit(estimator, X, y)
        result.scalars[f"accuracy_{number}"] = float(accuracy_score(y_test, estimator.predict(X_test)))
    reference = context.setting.get("reference")
    if reference:  # fewer trees, as growing them takes time in proportion
        estimator = build(context, reference, prior=context.split.prior)
        result.seconds["reference"] = timed_fit(estimator, X, y) * reference.get("times", 1)
    return result


def _importances(estimator: Any, *, normalized: bool) -> np.ndarray:
    """Risk reduction importances, or scikit-learn's Gini importances."""
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
        estimator = build(context, context.method, prior=float(np.mean(context.data.target == code)))
        if context.method.get("options", {}).get("labels") == "all":
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
    X, y = training_rows(context)
    X_test, y_test = _test_rows(context)
    forest = build(context, context.method, prior=context.split.prior).fit(X, y)
    sizes = context.setting.get("sizes") or list(range(1, X.shape[1] + 1))
    result = TrialResult()
    for name, normalized in (("risk_reduction", False), ("impurity_reduction", True)):
        order = np.argsort(-forest.risk_reduction_importances(normalized=normalized), kind="stable")
        accuracies = []
        for k in sizes:
            chosen = order[:k]
            estimator = build(context, context.method, prior=context.split.prior).fit(X[:, chosen], y)
            accuracies.append(accuracy_score(y_test, estimator.predict(X_test[:, chosen])))
        result.series[f"accuracy_by_{name}"] = (np.asarray(sizes), np.asarray(accuracies))
        result.scalars[f"area_by_{name}"] = float(np.trapezoid(accuracies, sizes))
    result.scalars["area_difference"] = result.scalars["area_by_risk_reduction"] - result.scalars["area_by_impurity_reduction"]
    return result


_TASKS = {
    "classify": _classify,
    "time": _time,
    "thresholds": _thresholds,
    "class_importance": _class_importance,
    "top_features": _top_features,
}
