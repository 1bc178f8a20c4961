"""Registry of the metrics estimated from PU labels, for all functions, scorers, intervals and displays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, auc, f1_score, precision_score, recall_score, roc_auc_score

from pulib.metrics._tally import Tally, hidden_share


def _zero_one(z: np.ndarray) -> np.ndarray:
    # A score of 0 is a negative prediction (decision_function > 0 means positive); `risk` handles the loss at -0.
    return (z <= 0).astype(np.float64)


def _sigmoid(z: np.ndarray) -> np.ndarray:
    return 0.5 * (1.0 - np.tanh(0.5 * z))


#: Losses of the margin z = y f(x), by the names that the papers use.
LOSSES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "zero_one": _zero_one,
    "sigmoid": _sigmoid,
    "logistic": lambda z: np.logaddexp(0.0, -z),
    "quadratic": lambda z: (1.0 - z) ** 2,
    "savage": lambda z: 4.0 * _sigmoid(z) ** 2,
    "double_hinge": lambda z: np.maximum(-z, np.maximum(0.0, 0.5 - 0.5 * z)),
}


def pu_score_of(recall: Any, share: Any) -> np.ndarray:
    """Lee and Liu's score, given the recall and the share of rows predicted positive, of one or many classifiers."""
    recall, share = np.asarray(recall, dtype=np.float64), np.asarray(share, dtype=np.float64)
    return np.divide(recall**2, share, out=np.zeros(share.shape), where=share > 0)


def pu_score(tally: Tally, prior: float | None, scenario: str) -> float:
    recall, called = tally.raw_rates("one_sample")  # the share of all rows, regardless of the scenario
    return float(pu_score_of(recall[0], called[0]))


def recall(tally: Tally, prior: float | None, scenario: str) -> float:
    return float(tally.labeled[0] / tally.labeled.sum())


def precision(tally: Tally, prior: float, scenario: str) -> float:
    found, called = (rate[0] for rate in tally.rates(prior, scenario))
    return float(prior * found / called) if called > 0 else 0.0


def f1(tally: Tally, prior: float, scenario: str) -> float:
    found, called = (rate[0] for rate in tally.rates(prior, scenario))
    return float(2.0 * prior * found / (called + prior))


def accuracy(tally: Tally, prior: float, scenario: str) -> float:
    population = tally.population(scenario)
    return float(2.0 * prior * recall(tally, prior, scenario) - prior + population[1] / population.sum())


def area(tally: Tally, prior: float | None, scenario: str) -> float:
    """AUC of labeled against unlabeled rows or, given π, of positives against negatives."""
    called = np.array([np.cumsum(tally.unlabeled), np.cumsum(tally.labeled)], dtype=np.float64)
    corner = np.any(np.diff(called, 2) != 0, axis=0)  # as roc_auc_score does: a straight line is one step
    kept = np.concatenate([[True], corner, np.ones(min(called.shape[1] - 1, 1), dtype=bool)])
    false, true = np.concatenate([np.zeros((2, 1)), called[:, kept]], axis=1) / called[:, -1:]
    raw = float(auc(false, true))
    if prior is None:
        return raw
    rho = hidden_share(tally, prior, scenario)
    return float((raw - 0.5 * rho) / (1.0 - rho))


def average_precision(tally: Tally, prior: float, scenario: str) -> float:
    found, called = tally.rates(prior, scenario)
    steps = np.diff(found, prepend=0.0)
    used = steps > 0  # where recall grows, called is above 0
    return float(np.sum(steps[used] * prior * found[used] / called[used]))


def risk(tally: Tally, prior: float, scenario: str, loss: str | Callable = "zero_one", risk: str = "upu") -> float:
    function = LOSSES[loss] if isinstance(loss, str) else loss
    # a score of exactly 0 predicts negative
    scores = np.where(tally.values > 0, 1.0, -1.0) if loss == "zero_one" else tally.values
    as_positive = prior * np.average(function(scores), weights=tally.labeled)
    negative = function(-scores)
    as_negative = np.average(negative, weights=tally.population(scenario)) - prior * np.average(negative, weights=tally.labeled)
    return float(as_positive + (max(as_negative, 0.0) if risk == "nnpu" else as_negative))


def rates_at_k(tally: Tally, scenario: str, k: float) -> tuple[float, float]:
    """Recall among the first k rows of the population, and their share of it; ties are broken at random, on average."""
    population = tally.population(scenario)
    total = float(population.sum())
    wanted = float(k) if isinstance(k, Integral) else float(k) * total
    if wanted > total * (1 + 1e-12):
        rows = "rows" if scenario == "one_sample" else "unlabeled rows, which k counts with scenario='two_sample'"
        raise ValueError(
            f"k={k} is more than the {total:g} {rows}. Pass a smaller k, or a share of the rows: a float in (0, 1], which also "
            "fits the folds of a search."
        )
    reached = np.cumsum(population)
    last = min(int(np.searchsorted(reached, wanted * (1 - 1e-12))), len(reached) - 1)
    before = float(reached[last] - population[last])
    part = min(1.0, (wanted - before) / population[last])
    found = float(tally.labeled[:last].sum() + part * tally.labeled[last])
    return found / float(tally.labeled.sum()), wanted / total


def precision_at_k(tally: Tally, prior: float, scenario: str, k: float) -> float:
    found, share = rates_at_k(tally, scenario, k)
    return min(1.0, prior * found / share)


def lift_at_k(tally: Tally, prior: float | None, scenario: str, k: float) -> float:
    found, share = rates_at_k(tally, scenario, k)
    return found / share


@dataclass(frozen=True)
class Formula:
    """A metric as a function of a tally."""

    value: Callable[..., float]  # value(tally, prior, scenario, **options) -> float
    of: str  # input: "predictions" or "scores"
    prior: str = "needed"  # use of π: "needed", "optional" or "unused"
    scenario: bool = True  # whether it depends on the scenario
    options: tuple[str, ...] = ()  # names of further arguments
    sign: int = 1  # -1 if less is better
    #: The metric given true labels, if it grows whenever a positive moves up the ranking
    truth: Callable[[np.ndarray, np.ndarray], float] | None = None


#: Formulas by the names of the public functions.
FORMULAS: dict[str, Formula] = {
    "pu_score": Formula(pu_score, "predictions", prior="unused", scenario=False),
    "proxy_recall": Formula(recall, "predictions", prior="unused", scenario=False, truth=recall_score),
    "proxy_precision": Formula(precision, "predictions", truth=lambda t, a: precision_score(t, a, zero_division=0.0)),
    "proxy_f1": Formula(f1, "predictions", truth=lambda t, a: f1_score(t, a, zero_division=0.0)),
    "proxy_accuracy": Formula(accuracy, "predictions", truth=accuracy_score),
    "proxy_auc": Formula(area, "scores", prior="optional", truth=roc_auc_score),
    "proxy_average_precision": Formula(average_precision, "scores"),
    "proxy_precision_at_k": Formula(precision_at_k, "scores", options=("k",)),
    "proxy_lift_at_k": Formula(lift_at_k, "scores", prior="unused", options=("k",)),
    "pu_risk": Formula(risk, "scores", options=("loss", "risk"), sign=-1),
}
