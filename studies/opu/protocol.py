"""Trials of the OPU paper (Zhang et al., IJCAI 2020, section 6): accuracy, sensitivity, learning curves and regret."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from pulab.trials.protocol import Rows, build, load_rows, stacked
from pulab.trials.trial import Series, TrialContext, TrialResult
from pulib.linear import number_of_batches
from pulib.metrics import pu_risk
from studies.opu.regret import regret_curve
from studies.opu.study import Accuracy, Regret, Sensitivity, Stream


@dataclass(frozen=True)
class _Rows(Rows):
    """A repeat's rows, with every feature scaled by the training part: to [−1, 1], or standardized (the task's ``scaling``).

    ``validation`` is a mask of the training part; ``priors`` has both interpretations of π.
    """

    validation: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=bool))
    priors: Mapping[str, float] = field(default_factory=dict)


def _load(context: TrialContext) -> _Rows:
    scaling = context.task.scaling
    rows = load_rows(context, scaler={"minus_one_to_one": MinMaxScaler((-1, 1)), "standard": StandardScaler()}[scaling])
    return _Rows(
        **vars(rows),
        validation=np.isin(stacked(context), context.split.arrays["validation"]),
        priors={"unlabeled": context.split.prior, "population": float(context.split.arrays["population_prior"])},
    )


def _score(estimator: Any, X: np.ndarray, truth: np.ndarray) -> float:
    return float(np.mean((estimator.decision_function(X) > 0) == (truth == 1)))


def _exponent(alpha: float) -> int:
    return round(np.log10(alpha))


def _by_alpha(values: Mapping[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Return a series by λ, with steps in millionths."""
    return np.array([round(1e6 * alpha) for alpha in values]), np.array(list(values.values()))


def tune(context: TrialContext, rows: _Rows, prior: float) -> dict[str, float]:
    """Choose λ by each way of tuning: fit without the validation rows, score on them; ties go to the larger λ.

    ``pu_risk`` needs only PU labels and the prior; ``oracle`` uses the validation rows' true labels.
    """
    train, held = ~rows.validation, rows.validation
    scores: dict[str, list[tuple[float, float]]] = {"pu_risk": [], "oracle": []}
    for alpha in sorted(map(float, context.method.grid["alpha"]), reverse=True):
        estimator = build(context, prior=prior, alpha=alpha).fit(rows.X[train], rows.y[train])
        answers = estimator.decision_function(rows.X[held])
        scores["pu_risk"].append((-pu_risk(rows.y[held], answers, prior=prior, loss="zero_one"), alpha))
        scores["oracle"].append((float(np.mean((answers > 0) == (rows.truth[held] == 1))), alpha))
    return {way: max(pairs, key=lambda pair: pair[0])[1] for way, pairs in scores.items()}


def _accuracy(context: TrialContext) -> TrialResult:
    """Return test accuracy for both interpretations of π and both ways of tuning, and for every λ of the grid.

    ``accuracy_ceiling`` is for the λ that is best on the test rows, an upper bound for tuning on other rows.
    """
    rows = _load(context)
    scalars: dict[str, float] = {}
    series: dict[str, Series] = {}
    for reading in context.task.priors:
        prior = rows.priors[reading]
        by_alpha = {}
        for alpha in sorted(map(float, context.method.grid["alpha"])):
            estimator = build(context, prior=prior, alpha=alpha).fit(rows.X, rows.y)
            by_alpha[alpha] = _score(estimator, rows.X_test, rows.truth_test)
        for way, alpha in tune(context, rows, prior).items():
            scalars[f"accuracy_{way}_{reading}"] = by_alpha[alpha]
            scalars[f"log10_alpha_{way}_{reading}"] = float(_exponent(alpha))
        scalars[f"accuracy_ceiling_{reading}"] = max(by_alpha.values())
        series[f"accuracy_by_alpha_{reading}"] = _by_alpha(by_alpha)
    return TrialResult(scalars=scalars, series=series)


def _sensitivity(context: TrialContext) -> TrialResult:
    """Return the series of figure 1: accuracy by λ at the true π, and by the given π at the tuned λ.

    The second series is indexed by percent of the true π.
    """
    rows = _load(context)
    series: dict[str, Series] = {}
    for reading in context.task.priors:
        prior = rows.priors[reading]

        def accuracy(alpha: float, given: float) -> float:
            fitted = build(context, prior=given, alpha=alpha).fit(rows.X, rows.y)
            return _score(fitted, rows.X_test, rows.truth_test)

        series[f"accuracy_by_alpha_{reading}"] = _by_alpha({a: accuracy(a, prior) for a in sorted(context.task.alphas)})
        best = tune(context, rows, prior)[context.task.tuning]
        percents = np.array(sorted(context.task.prior_percents))
        usable = percents[percents / 100 * prior < 1]
        by_prior = np.array([accuracy(best, percent / 100 * prior) for percent in usable])
        series[f"accuracy_by_prior_percent_{reading}"] = (usable, by_prior)
    return TrialResult(series=series)


def _checkpoints(last: int, count: int) -> np.ndarray:
    """Return at most ``count`` integers from 1 to ``last``, evenly spaced on a logarithmic scale."""
    return np.unique(np.round(np.geomspace(1, last, count)).astype(int))


def _stream(context: TrialContext) -> TrialResult:
    """Return test accuracy by rows seen, with λ tuned beforehand; a batch method takes its batches in order."""
    rows = _load(context)
    series: dict[str, Series] = {}
    for reading in context.task.priors:
        prior = rows.priors[reading]
        alpha = tune(context, rows, prior)[context.task.tuning]
        estimator = build(context, prior=prior, alpha=alpha)
        n = len(rows.y)
        n_batches = number_of_batches(estimator.batch_size, n)
        order = np.random.RandomState(context.seed).permutation(n)
        ends = np.arange(1, n_batches + 1) * n // n_batches
        stops = np.unique(ends[np.searchsorted(ends, _checkpoints(n, context.task.checkpoints))])
        values = []
        for first, last in zip([0, *stops[:-1]], stops, strict=True):
            # for a stream of single rows, the cuts do not change a bit of the result
            cuts = ends[(first < ends) & (ends < last)] if n_batches < n else []
            for part in np.split(order[:last], [first, *cuts])[1:]:
                estimator.partial_fit(rows.X[part], rows.y[part], classes=[0, 1])
            values.append(_score(estimator, rows.X_test, rows.truth_test))
        series[f"accuracy_by_rows_seen_{reading}"] = (stops, np.array(values))
    return TrialResult(series=series)


def _regret(context: TrialContext) -> TrialResult:
    """Return regret and its bound by steps, for each λ of the task."""
    rows = _load(context)
    scalars: dict[str, float] = {}
    series: dict[str, Series] = {}
    order = np.random.RandomState(context.seed).permutation(len(rows.y))
    for alpha in context.task.alphas:
        estimator = build(context, prior=rows.priors["population"], alpha=alpha)
        last = len(order) // estimator.batch_size
        curve = regret_curve(estimator, rows.X, rows.y, order, _checkpoints(last, context.task.checkpoints))
        name = f"log10_alpha_{_exponent(alpha)}"
        series[f"regret_{name}"] = (curve.steps, curve.regret)
        series[f"regret_after_{name}"] = (curve.steps, curve.regret_after)
        series[f"bound_{name}"] = (curve.steps, curve.bound)
        scalars[f"constant_{name}"] = curve.constant
    return TrialResult(scalars=scalars, series=series)


def _quiet(run: Callable[[TrialContext], TrialResult]) -> Callable[[TrialContext], TrialResult]:
    """Silence convergence warnings: with the smallest λ of a grid, a fit may stop short of the tolerance."""

    def run_quietly(context: TrialContext) -> TrialResult:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return run(context)

    return run_quietly


RUN = {Accuracy: _quiet(_accuracy), Sensitivity: _quiet(_sensitivity), Stream: _quiet(_stream), Regret: _quiet(_regret)}
