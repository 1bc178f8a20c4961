"""Warnings about counts that are impossible at the given π, such as a precision above 100%, unless chance explains them.

If recall is r and a share q of the population is predicted positive, the share of false positives is q - π r, which must be
between 0 and 1 - π.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from pulib._warnings import N_ERRORS, issue_warning
from pulib.metrics._formulas import rates_at_k
from pulib.metrics._tally import Tally, hidden_share

#: Threshold in standard errors if every cut is tested, since one of many may be far off by chance.
N_ERRORS_OF_MANY = 4.5
_ROUNDING = 1e-9

CAUSES = (
    "Either prior is wrong, labels were not drawn at random among the positives (pulib.check_scar tests it, "
    "pulib.score_bounds needs no such assumption), or the classifier was fitted to these rows."
)
_BY_CHANCE = "With so few rows, chance can explain it; score_interval shows how sure the estimate is."

_collected: ContextVar[set[str] | None] = ContextVar("_collected", default=None)


@contextmanager
def collected_into(messages: set[str]) -> Iterator[None]:
    """Collect warnings in a set instead of issuing them, because many folds give the same one."""
    token = _collected.set(messages)
    try:
        yield
    finally:
        _collected.reset(token)


def plainest(messages: set[str]) -> list[str]:
    """Return the most informative of the collected warnings."""
    return sorted(messages, key=lambda message: (CAUSES not in message, "above 1" not in message, message))[:1]


def warn_of_contradiction(
    name: str,
    value: float,
    tally: Tally,
    counts: tuple[float, float],
    prior: float | None,
    scenario: str,
    options: dict[str, Any],
) -> None:
    """Warn if an estimate is impossible or was clipped.

    ``counts`` are the effective numbers of labeled and unlabeled rows; ``prior``, ``scenario`` and ``options`` are the metric's
    arguments.
    """
    message = "" if prior is None else contradiction(name, value, tally, counts, prior, scenario, options)
    messages = _collected.get()
    if message and messages is not None:
        messages.add(message)
    elif message:
        issue_warning(message)


def contradiction(
    name: str, value: float, tally: Tally, counts: tuple[float, float], prior: float, scenario: str, options: dict[str, Any]
) -> str:
    """Return the text of the warning, empty if nothing is impossible.

    It contains no number that differs between folds, so that all folds give the same warning, which is issued once.
    """
    if name == "proxy_auc":
        rho = hidden_share(tally, prior, scenario)
        excess = max(value - 1.0, -value) * (1.0 - rho)
        # of the area of labeled against unlabeled rows and, with one sample, of ρ/2, which depends on the number of labels
        variance = _variance(np.clip(0.5 * rho + (1.0 - rho) * value, 0.0, 1.0), min(counts))
        if scenario == "one_sample":
            variance += 0.25 * tally.labeled_share / (1.0 - tally.labeled_share) / sum(counts)
        error = float(np.sqrt(variance))
        return _text(
            name,
            value,
            beyond=excess > N_ERRORS * error,
            why="at this prior labeled rows rank too high or too low among the unlabeled ones",
        )
    if name == "pu_risk" and options.get("loss", "zero_one") != "zero_one":
        impossible = isinstance(options["loss"], str) and value < -_ROUNDING
        return f"{name} is below 0, which is impossible for a risk. {CAUSES}" if impossible else ""
    found, called = _cuts(name, tally, scenario, options)
    false = called - prior * found
    n_population = counts[1] if scenario == "two_sample" else sum(counts)
    error = np.sqrt(prior**2 * _variance(found, counts[0]) + _variance(called, n_population))
    too_few, too_many = -false, false - (1.0 - prior)
    limit = (N_ERRORS if len(found) == 1 else N_ERRORS_OF_MANY) * error
    if len(found) == 1 and name.startswith(("proxy_precision", "proxy_f1")) and too_few[0] > _ROUNDING:
        value = np.inf  # the value before clipping was above 1
    if np.any(too_few > limit):
        why = "at this prior the true positives alone would be more rows than are called positive"
        return _text(name, value, beyond=True, why=why)
    if np.any(too_many > limit):
        why = "at this prior the false negatives alone would be more rows than are called negative"
        return _text(name, value, beyond=True, why=why)
    if name == "pu_risk":
        return f"{name} is below 0, which is impossible for a risk. {_BY_CHANCE}" if value < -_ROUNDING else ""
    return _text(name, value, beyond=False, why="")


def _cuts(name: str, tally: Tally, scenario: str, options: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Recall, and share of the population predicted positive, at the metric's cut, or at every cut."""
    found, called = tally.raw_rates(scenario)
    if name == "proxy_precision_at_k":
        at_k = rates_at_k(tally, scenario, options["k"])
        return np.array(at_k[:1]), np.array(at_k[1:])
    if name == "proxy_average_precision":
        return found, called
    above = 1 if name != "pu_risk" else int(np.count_nonzero(tally.values > 0))
    return (found[above - 1 : above], called[above - 1 : above]) if above else (np.zeros(1), np.zeros(1))


def _variance(share: Any, n: float) -> Any:
    """Variance of an observed share, smoothed to be above 0 for a share of 0 or 1."""
    smoothed = (n * share + 1.0) / (n + 2.0)
    return smoothed * (1.0 - smoothed) / n


def _text(name: str, value: float, *, beyond: bool, why: str) -> str:
    outside = "is above 1 (100%)" if value > 1 + _ROUNDING else "is below 0" if value < -_ROUNDING else ""
    if value == np.inf:
        outside = "rests on a precision above 1 (100%), which is cut there"
    if beyond:
        return f"{name} {outside or 'cannot be right'}: {why}. {CAUSES}"
    return f"{name} {outside}. {_BY_CHANCE}" if outside else ""
