"""Trials of the Ada-PU paper (Zhao et al., section 5): scores after every round of boosting, or every epoch of a network.

The classes of tasks in ``study.py`` describe each.  A method with ``labels="pn"`` is trained on the labeled positives and the
split's negatives.  A method with ``features`` learns from rows that this estimator, trained on the same P and U, has
transformed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pulab.trials.cost import Timer
from pulab.trials.protocol import Rows, build, load_rows
from pulab.trials.trial import TrialContext, TrialResult
from pulib.metrics import pu_risk
from pulib.sampling import Split
from studies.adapu.study import READING, Classify, LearningRates, Readings, Theorems, Traces


def staged_scores(estimator: Any, X: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the scores of rows after each round of any boosting classifier; positive scores mean the positive class."""
    if hasattr(estimator, "staged_decision_function"):
        for scores in estimator.staged_decision_function(X):
            yield scores.ravel()
    else:  # XGBoost: margins of single rounds add up
        for last in range(1, estimator.n_estimators + 1):
            yield estimator.predict(X, output_margin=True, iteration_range=(0, last))


def accuracy_curve(stages: Iterable[np.ndarray], truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return accuracy after each round, with a score of 0 as negative, and with 0 as half right (as in the released code)."""
    plain, half = [], []
    for scores in stages:
        right = (scores > 0) == (truth == 1)
        plain.append(np.mean(right))
        half.append(np.mean(np.where(scores == 0, 0.5, right)))
    return np.array(plain), np.array(half)


def _rows(context: TrialContext) -> Rows:
    """Return P stacked on U, or on N for a PN method, with the features that the method learns from."""
    split, method = context.split, context.method
    rows = load_rows(context, train=(split.labeled, split.arrays["negatives"]) if method.labels == "pn" else None)
    if method.features:
        network = replace(method, params=method.features["params"], estimator=method.features["estimator"])
        extractor = build(context, network, prior=split.prior).fit(rows.X, rows.y)
        rows = replace(rows, X=extractor.transform(rows.X), X_test=extractor.transform(rows.X_test))
    return rows


@dataclass(frozen=True)
class _Outcome:
    """A fitted estimator, its test accuracy after each round, and its final accuracy if a score of 0 is half right."""

    estimator: Any
    curve: np.ndarray
    half: float
    seconds: float

    @property
    def series(self) -> tuple[np.ndarray, np.ndarray]:
        return np.arange(1, len(self.curve) + 1), self.curve


def _fit(context: TrialContext, rows: Rows, **params: Any) -> _Outcome:
    """Train, and test after every round; a model that stops early keeps its accuracy for the remaining rounds."""
    estimator = build(context, prior=context.split.prior, **params)
    by_epoch = hasattr(estimator, "epochs")
    with Timer(context.n_jobs) as timer:
        estimator.fit(rows.X, rows.y, **({"eval_set": (rows.X_test, rows.truth_test)} if by_epoch else {}))
    if by_epoch:
        curve = np.asarray(estimator.history_["eval_accuracy"])
        return _Outcome(estimator, curve, float(curve[-1]), timer.seconds)
    plain, half = accuracy_curve(staged_scores(estimator, rows.X_test), rows.truth_test)
    if not len(plain):  # no stump at all: every score is 0
        plain, half = np.array([np.mean(rows.truth_test == 0)]), np.array([0.5])
    missing = max(0, estimator.n_estimators - len(plain))
    return _Outcome(estimator, np.concatenate([plain, np.full(missing, plain[-1])]), float(half[-1]), timer.seconds)


def _classify(context: TrialContext) -> TrialResult:
    rows = _rows(context)
    outcome = _fit(context, rows)
    result = TrialResult(seconds={"fit": outcome.seconds})
    result.scalars = {
        "accuracy": float(outcome.curve[-1]),
        "accuracy_half": outcome.half,
        "n_train": float(len(rows.X)),
        "n_test": float(len(rows.truth_test)),
        "prior": context.split.prior,
    }
    result.series["accuracy_by_round"] = outcome.series
    estimator = outcome.estimator
    if hasattr(estimator, "feature_counts_"):
        result.scalars["n_rounds"] = float(estimator.n_iter_)
        result.series["feature_counts"] = estimator.feature_counts_
        result.series["error_by_round"] = (np.arange(1, estimator.n_iter_ + 1), estimator.estimator_errors_)
    return result


def _learning_rates(context: TrialContext) -> TrialResult:
    rows, result = _rows(context), TrialResult()
    for rate in context.task.learning_rates:
        outcome = _fit(context, rows, learning_rate=rate)
        result.series[f"accuracy_by_round_{rate:g}"] = outcome.series
        result.scalars[f"accuracy_{rate:g}"] = float(outcome.curve[-1])
    return result


def _readings(context: TrialContext) -> TrialResult:
    rows, result = _rows(context), TrialResult()
    context = replace(context, method=replace(context.method, estimator=READING))
    for name, params in context.task.readings.items():
        outcome = _fit(context, rows, **params)
        result.scalars |= {f"accuracy_{name}": float(outcome.curve[-1]), f"accuracy_half_{name}": outcome.half}
        result.scalars[f"best_accuracy_{name}"] = float(outcome.curve.max())
        result.scalars[f"n_rounds_{name}"] = float(outcome.estimator.n_iter_)
    return result


def held_out_rows(split: Split, share: float, seed: int) -> np.ndarray:
    """Return which rows of P stacked on U are held out: a share of the labeled rows, and of the others.

    A labeled row that is also unlabeled is held out of both or of neither.
    """
    rng = np.random.default_rng(seed)
    parts = split.labeled, np.setdiff1d(split.unlabeled, split.labeled)
    held = [rng.choice(part, max(1, round(share * len(part))), replace=False) for part in parts]
    return np.isin(np.concatenate([split.labeled, split.unlabeled]), np.concatenate(held))


def _traces(context: TrialContext) -> TrialResult:
    rows, result = _rows(context), TrialResult()
    prior, held = context.split.prior, held_out_rows(context.split, context.task.held_out, context.shared_seed)
    seen = rows.train_on(~held)
    for name, params in context.task.traces.items():
        outcome = _fit(context, seen, **params)
        estimator = outcome.estimator
        stages = estimator.staged_decision_function(rows.X[held])
        traces = {
            "error": estimator.estimator_errors_,
            "alpha": estimator.estimator_weights_ / estimator.learning_rate,
            "negative_share": estimator.negative_shares_,
            "risk": np.array([pu_risk(rows.y[held], scores, prior=prior, risk="nnpu") for scores in stages]),
        }
        rounds = np.arange(1, estimator.n_iter_ + 1)
        result.series |= {f"{trace}_by_round_{name}": (rounds, values) for trace, values in traces.items()}
        result.series[f"accuracy_by_round_{name}"] = outcome.series
    return result


def _theorems(context: TrialContext) -> TrialResult:
    rows, prior = _rows(context), context.split.prior
    model = build(context, prior=prior).fit(rows.X, rows.y)
    labeled, loss, wrong = rows.y == 1, [], []
    for scores in model.staged_decision_function(rows.X):
        of_labeled, of_unlabeled = scores[labeled], scores[~labeled]
        # equation 7: labeled rows count as positives with π, and with -π to correct U for its positives
        loss.append(prior * np.exp(-of_labeled).mean() + np.exp(of_unlabeled).mean() - prior * np.exp(of_labeled).mean())
        wrong.append(prior * (of_labeled <= 0).mean() + (of_unlabeled > 0).mean() - prior * (of_labeled > 0).mean())
    # definition 4.1 assumes positive errors; boosting ends at an error that is not, except for rounding
    errors = np.asarray(model.estimator_errors_)
    rounds = max(int(np.argmax(errors <= 0)), 1) if (errors <= 0).any() else len(errors)
    errors, losses, wrongs = errors[:rounds].clip(0.0), np.array(loss[:rounds]), np.array(wrong[:rounds])
    product = np.cumprod(2.0 * np.sqrt(errors * (1.0 - errors)))
    return TrialResult(
        scalars={
            "falls": float(np.mean(np.diff(losses, prepend=1.0) <= 1e-9)),
            "product_gap": float(np.abs(losses - product).max()),
            "below_bound": float(np.mean(wrongs <= product + 1e-9)),
            "wrong": float(wrongs[-1]),
            "margin": float(of_labeled.min() / np.sum(model.estimator_weights_)),
        }
    )


RUN = {Classify: _classify, LearningRates: _learning_rates, Readings: _readings, Traces: _traces, Theorems: _theorems}
