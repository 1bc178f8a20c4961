"""Thresholds for a target precision, recall, number of rows or cost, from held-out scores of PU rows.

Let r be the share of labeled rows above a threshold, and q that of the population.  If labels are selected at random, recall is
r, precision is π r / q, the share of false positives is q - π r, and that of missed positives is π (1 - r).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression

from pulib._threshold import between
from pulib.metrics._tally import Sample

#: Number of draws of the rows (and of an estimated π) for the interval at a threshold, and its confidence level.
DRAWS, CONFIDENCE = 1000, 0.95
#: Number of draws of the rows to judge each correction of a target precision.
DRAWS_OF_STEP = 50
#: Least number of labeled rows above a threshold for its precision to count.
LEAST_LABELS = 10
#: Maximum number of corrections of a target precision, and the tolerance below it.
STEPS, CLOSE = 5, 0.02
_EXPECTED = (
    "expected ('precision', p) or ('recall', r) with a share in (0, 1], ('rows', k) with a whole number from 1 on or a share in"
    " (0, 1), ('cost', (false_positive, false_negative)) with numbers of at least 0, or None"
)


@dataclass(frozen=True)
class Target:
    """Validated target of a threshold; ``kind`` is "precision", "recall", "rows" or "cost"."""

    kind: str
    value: Any


def check_target(target: Any) -> Target:
    """Validate the user's ``target``.

    Examples
    --------
    >>> from pulib.reductions._targets import check_target
    >>> check_target(("rows", 100))
    Target(kind='rows', value=100)
    """
    try:
        kind, value = target
    except (TypeError, ValueError):
        raise ValueError(f"target={target!r}; {_EXPECTED}.") from None
    if kind == "cost":
        right = isinstance(value, tuple | list) and len(value) == 2 and all(_number(v) and v >= 0 for v in value) and any(value)
    elif kind == "rows":
        right = _number(value) and (int(value) >= 1 if isinstance(value, Integral) else 0 < value < 1)
    else:
        right = kind in ("precision", "recall") and _number(value) and 0 < value <= 1
    if not right:
        raise ValueError(f"target={target!r}; {_EXPECTED}.")
    return Target(kind, tuple(map(float, value)) if kind == "cost" else value)


def _number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


class Cuts:
    """All distinct thresholds of held-out scores, and the shares above each; ``counted`` rows represent the population."""

    def __init__(self, scores: np.ndarray, positive: np.ndarray, counted: np.ndarray) -> None:
        self._values, self._place = np.unique(scores, return_inverse=True)
        self._positive, self._counted = positive, counted
        pairs = zip(self._values[:-1], self._values[1:], strict=True)
        # each cut lies just below the value of the same index
        self.cuts = np.array([np.nextafter(self._values[0], -np.inf), *(between(low, high, 0.5) for low, high in pairs)])

    def best(self, target: Target, prior: float, weights: np.ndarray) -> tuple[float, float]:
        """Return the best threshold, and its estimated precision, recall, share of rows or cost per row."""
        recall, share = (self._above(rows, weights) for rows in (self._positive, self._counted))
        if target.kind == "recall":
            k = int(np.flatnonzero(recall >= target.value - 1e-12)[-1])
            return float(self.cuts[k]), float(recall[k])
        if target.kind == "rows":
            wanted = target.value if target.value < 1 else target.value / weights[self._counted].sum()
            k = int(np.argmin(np.abs(share - wanted)))
            return float(self.cuts[k]), float(share[k])
        places, smooth = _concave(recall, share)
        n_labeled = int(self._positive.sum())
        enough = recall[places] * n_labeled >= min(LEAST_LABELS, n_labeled) - 1e-9
        cuts, share = self.cuts[places], share[places]
        if target.kind == "cost":
            false_positive, false_negative = target.value
            costs = false_positive * np.maximum(share - prior * smooth, 0.0) + false_negative * prior * (1.0 - smooth)
            k, cost_of_none = int(np.argmin(costs)), false_negative * prior
            return (float(cuts[k]), float(costs[k])) if costs[k] <= cost_of_none else (float(self._values[-1]), cost_of_none)
        precision = np.where(enough, prior * smooth / share, -np.inf).clip(max=1.0)
        reached = np.flatnonzero(precision >= target.value - 1e-12)
        k = int(reached[0]) if len(reached) else int(np.flatnonzero(precision == precision.max())[0])
        return float(cuts[k]), float(precision[k])

    def _above(self, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Share of ``rows`` above each cut."""
        reached = np.cumsum(np.bincount(self._place[rows], weights[rows], minlength=len(self.cuts))[::-1])[::-1]
        return reached / reached[0]

    def aim(
        self, target: Target, prior: float, weights: np.ndarray, groups: np.ndarray | None, rng: np.random.Generator
    ) -> tuple[float, float]:
        """Return :meth:`best`; for a precision, aim higher to correct the optimism of choosing the best threshold.

        Resampling measures the optimism: a threshold that reaches a precision on resampled rows has less on the original ones.
        """
        if target.kind != "precision":
            return self.best(target, prior, weights)
        wanted, aimed = target.value, target
        for _ in range(STEPS):
            thresholds = self.drawn(aimed, np.full(DRAWS_OF_STEP, prior), weights, groups, rng)
            reached = min(float(np.mean([self._precision(threshold, prior, weights) for threshold in thresholds])), 1.0)
            if reached >= wanted - CLOSE / 4:
                break
            missed = logit(min(wanted, 0.999)) - logit(np.clip(reached, 0.001, 0.999))
            aimed = Target("precision", float(expit(logit(min(aimed.value, 0.999)) + missed)))
        return self.best(aimed, prior, weights)[0], reached

    def _precision(self, threshold: float, prior: float, weights: np.ndarray) -> float:
        called = weights * (self._values > threshold)[self._place]
        recall, share = (called[rows].sum() / weights[rows].sum() for rows in (self._positive, self._counted))
        return float(prior * recall / share) if share > 0 else 0.0  # may exceed 1: clipping would bias the mean

    def drawn(
        self, target: Target, priors: np.ndarray, weights: np.ndarray, groups: np.ndarray | None, rng: np.random.Generator
    ) -> list[float]:
        """Return the best thresholds for resamples of the rows, or of their groups, one for each value of π."""
        found = []
        for prior in priors:
            drawn = weights.copy()
            for rows in (self._positive, ~self._positive):
                unit = np.arange(rows.sum()) if groups is None else np.unique(groups[rows], return_inverse=True)[1]
                n = int(unit.max()) + 1
                drawn[rows] *= rng.multinomial(n, np.full(n, 1.0 / n))[unit]
            found.append(self.best(target, float(prior), drawn)[0])
        return found


def interval(
    target: Target, sample: Sample, priors: np.ndarray, scenario: str, rng: np.random.Generator
) -> tuple[float, float]:
    """Interval of the precision, recall, share of rows or cost at a threshold, over draws of the rows, one for each π.

    ``sample`` has the predictions of held-out rows.  Each draw gives a lower and an upper end, as in
    :func:`pulib.metrics.score_interval`.
    """
    ends = []
    for prior in priors:
        rates = [tally.raw_rates(scenario) for tally in sample.resampled_ends(rng, scenario)]
        ends.append([_reached(target, prior, recall[0], share[0]) for recall, share in rates])
    tail = 0.5 * (1.0 - CONFIDENCE)
    low, high = np.quantile(np.min(ends, axis=1), tail), np.quantile(np.max(ends, axis=1), 1.0 - tail)
    return float(low), float(high)


def _reached(target: Target, prior: float, recall: float, share: float) -> float:
    """Precision, recall, share of rows or cost per row, given the recall and the share of rows predicted positive."""
    share = max(share, prior * recall)
    if target.kind == "cost":
        false_positive, false_negative = target.value
        return float(false_positive * (share - prior * recall) + false_negative * prior * (1.0 - recall))
    if target.kind == "precision":
        return float(prior * recall / share) if share > 0 else 0.0
    return float(recall if target.kind == "recall" else share)


def _concave(recall: np.ndarray, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the cuts below rows of the population, and recall there as a concave function of the share of rows above.

    Recall at single cuts is noisy, and the best of many cuts would be one with lucky noise.
    """
    widths, gains = -np.diff(share, append=0.0), -np.diff(recall, append=0.0)
    places = np.flatnonzero(widths > 0)
    # labeled rows between two rows of the population count toward the lower one
    stretch = np.maximum(np.searchsorted(places, np.arange(len(share)), side="right") - 1, 0)
    widths, gains = widths[places], np.bincount(stretch, gains, minlength=len(places))
    rows = np.arange(len(places))  # not fit_transform, which returns a frame if frames are configured
    slopes = IsotonicRegression(increasing=True).fit(rows, gains / widths, sample_weight=widths).predict(rows)
    return places, np.cumsum((slopes * widths)[::-1])[::-1].clip(max=1.0)
