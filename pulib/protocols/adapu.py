"""Trials of the Ada-PU paper (Zhao et al., section 5): boosting on P and U, or on P and N, scored after every round.

What a trial does is its setting's ``task``:

- ``classify``: train, measure on the test rows after each round (table 2, figures 1 to 3) and count features (figure 4);
- ``learning_rates``: the same for each β in ``learning_rates`` (figure 5);
- ``readings``: the same for each set of parameters in ``readings``: what the paper's text leaves open.

A method with ``options: {labels: pn}`` is trained on the labeled positives and the split's negatives.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from pulib.experiments.trial import TrialContext, TrialResult, import_object


def run(context: TrialContext) -> TrialResult:
    """Run one trial; see the module's description."""
    task = context.setting.get("task", "classify")
    if task not in _TASKS:
        raise ValueError(f"setting {context.setting_name}: task={task!r}; expected one of {sorted(_TASKS)}")
    return _TASKS[task](context)


def training_rows(context: TrialContext) -> tuple[np.ndarray, np.ndarray]:
    """Rows and labels: P stacked on U, or on N for a PN method; marked 1 and 0."""
    X, split = context.data.X, context.split
    pn = context.method.get("options", {}).get("labels") == "pn"
    others = split.arrays["negatives"] if pn else split.unlabeled
    rows = np.concatenate([split.labeled, others])
    return np.asarray(X[rows]), np.repeat([1, 0], [len(split.labeled), len(others)])


def staged_scores(estimator: Any, X: np.ndarray) -> Iterator[np.ndarray]:
    """Scores of the rows after each round of any boosting classifier; positive means positive."""
    if hasattr(estimator, "staged_decision_function"):
        for scores in estimator.staged_decision_function(X):
            yield scores.ravel()
    else:  # XGBoost's, whose margins of single rounds add up
        for last in range(1, estimator.n_estimators + 1):
            yield estimator.predict(X, output_margin=True, iteration_range=(0, last))


def accuracy_curve(stages: Iterable[np.ndarray], truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Accuracy after each round, where a score of 0 means negative; and where it is half right, as in the released code."""
    plain, half = [], []
    for scores in stages:
        right = (scores > 0) == (truth == 1)
        plain.append(np.mean(right))
        half.append(np.mean(np.where(scores == 0, 0.5, right)))
    return np.array(plain), np.array(half)


def _fit(context: TrialContext, X: np.ndarray, y: np.ndarray, **params: Any) -> tuple[Any, float]:
    """A fitted estimator, and the seconds its fit took."""
    if "prior" in import_object(context.method["estimator"])._get_param_names():
        params["prior"] = context.split.prior
    estimator = context.make_estimator(**params)
    start = time.perf_counter()
    estimator.fit(X, y)
    return estimator, time.perf_counter() - start


def _test_curve(context: TrialContext, estimator: Any) -> tuple[np.ndarray, np.ndarray, float]:
    """Rounds 1, 2, ..., the test accuracy after each, and the final one with scores of 0 half right.

    A model that ended early keeps its accuracy, so that all repeats have as many rounds.
    """
    test = context.split.test
    truth = context.data.y[test]
    plain, half = accuracy_curve(staged_scores(estimator, np.asarray(context.data.X[test])), truth)
    if not len(plain):  # no stump at all: every score is 0
        plain, half = np.array([np.mean(truth == 0)]), np.array([0.5])
    missing = max(0, estimator.n_estimators - len(plain))
    curve = np.concatenate([plain, np.full(missing, plain[-1])])
    return np.arange(1, len(curve) + 1), curve, float(half[-1])


def _classify(context: TrialContext) -> TrialResult:
    X, y = training_rows(context)
    estimator, seconds = _fit(context, X, y)
    rounds, curve, half = _test_curve(context, estimator)
    result = TrialResult(seconds={"fit": seconds})
    result.scalars = {
        "accuracy": float(curve[-1]),
        "accuracy_half": half,
        "n_train": float(len(X)),
        "n_test": float(len(context.split.test)),
        "prior": context.split.prior,
    }
    result.series["accuracy_by_round"] = (rounds, curve)
    if hasattr(estimator, "feature_counts_"):
        result.scalars["n_rounds"] = float(estimator.n_iter_)
        result.series["feature_counts"] = estimator.feature_counts_
        result.series["error_by_round"] = (np.arange(1, estimator.n_iter_ + 1), estimator.estimator_errors_)
    return result


def _learning_rates(context: TrialContext) -> TrialResult:
    X, y = training_rows(context)
    result = TrialResult()
    for rate in context.setting["learning_rates"]:
        estimator, result.seconds[f"fit_{rate:g}"] = _fit(context, X, y, learning_rate=rate)
        rounds, curve, _ = _test_curve(context, estimator)
        result.series[f"accuracy_by_round_{rate:g}"] = (rounds, curve)
        result.scalars[f"accuracy_{rate:g}"] = float(curve[-1])
    return result


def _readings(context: TrialContext) -> TrialResult:
    X, y = training_rows(context)
    result = TrialResult()
    for name, params in context.setting["readings"].items():
        estimator, result.seconds[f"fit_{name}"] = _fit(context, X, y, **params)
        _, curve, half = _test_curve(context, estimator)
        result.scalars |= {f"accuracy_{name}": float(curve[-1]), f"accuracy_half_{name}": half}
        result.scalars[f"n_rounds_{name}"] = float(estimator.n_iter_)
    return result


_TASKS = {"classify": _classify, "learning_rates": _learning_rates, "readings": _readings}
