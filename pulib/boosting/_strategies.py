"""Three strategies of the stump search, which find the thresholds that may be the best, and the exact weights above them.

:func:`choose_strategy` chooses the cheapest: sums above each threshold (few random thresholds), histograms carried from round
to round (one-byte codes), or new histograms (more codes).  Sums are in fixed point, so that all three agree, bit for bit, for
any number of threads.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from pulib.boosting._binning import CodedData
from pulib.boosting._histogram import (
    NARROW,
    BestCuts,
    Bounds,
    FixedWeights,
    Histograms,
    MovedRows,
    advance,
    best_cuts,
    finalists,
    screen,
)
from pulib.boosting._sums_above import sum_above, sums_above
from pulib.boosting._threads import Threads
from pulib.boosting._weights import SLACK, SampleWeights, SideFactors, rows_of_side

#: Random thresholds per feature up to which summing above each is cheaper than carrying histograms.
_FEW = 2
#: Carried histograms are recomputed if their error may exceed this share of the weights.
_DRIFT = 1e-9
_EPS = np.finfo(np.float64).eps
_NEVER = np.iinfo(np.int64).min


class Candidates(NamedTuple):
    """Thresholds, and the fixed-point weights of the rows above them, counted as positive and as negative; int64 arrays."""

    features: np.ndarray
    cuts: np.ndarray
    positive: np.ndarray
    negative: np.ndarray


class Strategy(ABC):
    """Way to find the thresholds among which the best stump is."""

    def __init__(self, data: CodedData, weights: SampleWeights, threads: Threads):
        self.data, self.weights, self.threads = data, weights, threads
        self.parts = threads.split(len(data.codes))

    @abstractmethod
    def candidates(self, drawn: np.ndarray | None) -> Candidates:
        """Every threshold that may be the best for the current weights.

        ``drawn`` of shape (n_thresholds, n_features) are the codes at which random thresholds cut, or -1 for none; None tries
        all thresholds.
        """

    def before_update(self, row: np.ndarray, cut: int) -> None:  # noqa: B027  # most have nothing to keep
        """Prepare for the weights on both sides of a cut to be multiplied."""

    def after_update(self, factors: SideFactors) -> None:  # noqa: B027
        """Account for the factors by which the weights were multiplied."""

    def _summed(self, features: np.ndarray, cuts: np.ndarray) -> Candidates:
        """Candidates at the given cuts, with the weights above each of them."""
        codes, weights = self.data.codes, self.weights
        places = list(zip(features.tolist(), cuts.tolist(), strict=True))
        positive = [sum_above(codes[feature], weights.fixed_positive, cut) for feature, cut in places]
        negative = [sum_above(codes[feature], weights.fixed_negative, cut) for feature, cut in places]
        return Candidates(features, cuts, np.array(positive, np.int64), np.array(negative, np.int64))


class SumsAboveDrawn(Strategy):
    """Sums above every drawn threshold: one pass over the codes per threshold."""

    def candidates(self, drawn: np.ndarray | None) -> Candidates:
        assert drawn is not None, "all thresholds need histograms"
        codes, weights = self.data.codes, self.weights
        positive, negative = np.empty_like(drawn), np.empty_like(drawn)
        for s, cuts in enumerate(np.maximum(drawn, 0).astype(codes.dtype)):

            def work(part: Any, s: int = s, cuts: np.ndarray = cuts) -> None:
                sums_above(codes, weights.fixed_positive, cuts, *part, positive[s])
                sums_above(codes, weights.fixed_negative, cuts, *part, negative[s])

            self.threads.run(work, self.parts)
        there = drawn >= 0
        return Candidates(np.nonzero(there)[1], drawn[there], positive[there], negative[there])


class FreshHistograms(Strategy):
    """Each feature's best threshold among all, from new histograms, exactly."""

    def candidates(self, drawn: np.ndarray | None) -> Candidates:
        assert drawn is None, "drawn thresholds are not looked at"
        data, weights = self.data, self.weights
        fixed = FixedWeights(weights.fixed_positive, weights.fixed_negative, *weights.fixed_totals, weights.fixed_slack)
        best = BestCuts(*np.zeros((3, len(data.codes)), np.int64))

        def search(part: Any, enough: int = _NEVER) -> None:
            best_cuts(data.codes, data.n_codes, fixed, enough, *part, best)

        self.threads.run(search, self.parts)
        features = np.flatnonzero(best.polarities)
        if len(features):  # if errors differ only by rounding, take the first cut of the first feature
            enough = best.errors[features].min() + weights.fixed_slack
            features = features[best.errors[features] <= enough][:1]
            search((features[0], features[0] + 1), enough)
        return self._summed(features, best.cuts[features])


class CarriedHistograms(Strategy):
    """Histograms of one-byte codes that are carried from round to round, with a bound on the error of their sums."""

    def __init__(self, data: CodedData, weights: SampleWeights, threads: Threads):
        super().__init__(data, weights, threads)
        shape = (len(data.codes), NARROW)
        self.histograms = Histograms(np.zeros(shape), np.zeros(shape), data.n_codes, np.ones(shape, bool))
        self._rows = np.zeros(data.n_rows + 1, np.int32)
        self._everything()

    def _everything(self) -> None:
        """Make the next pass recompute the histograms from all rows."""
        n = self.data.n_rows
        self._rows[:n] = np.arange(n, dtype=np.int32)
        self._take(n)
        self._factors = ((0.0, 1.0), (0.0, 1.0))
        self.error = 0.0

    def _take(self, n: int) -> None:
        """Store the current weights of the first ``n`` rows in ``_rows``, padded to an even number."""
        rows, fixed = self._rows, (self.weights.fixed_positive, self.weights.fixed_negative)
        labeled = int(np.searchsorted(rows[:n], self.weights.n_labeled))
        self._taken = []
        for weights, count in zip(fixed, (labeled, n), strict=True):
            even = count + count % 2
            numbers = np.zeros(even, np.int32)
            numbers[:count] = rows[:count]
            taken = np.zeros(even, np.int64)
            taken[:count] = weights[numbers[:count]]
            self._taken.append((numbers, taken))
        self._unit, self._weight = 1.0 / self.weights.scale, self.weights.absolute

    def before_update(self, row: np.ndarray, cut: int) -> None:
        """Store the rows on the smaller side of a stump, and their weights before they change."""
        n = self.data.n_rows
        above = int(np.count_nonzero(row[:n] > cut))
        self._high = 2 * above <= n
        self._take(rows_of_side(row, cut, self._high, n, self._rows))

    def after_update(self, factors: SideFactors) -> None:
        """Store the factors of both sides, and update the error bound."""
        pairs = (factors.positive, factors.negative)
        ordered = [(low, high) if self._high else (high, low) for low, high in pairs]
        self._factors = (ordered[0], ordered[1])
        greatest = max(max(pair) for pair in self._factors)
        rounding = 8 * _EPS * self._weight + self.data.n_rows * self._unit
        self.error = greatest * (self.error + rounding)
        if self.error > _DRIFT * self.weights.absolute:
            self._everything()

    def candidates(self, drawn: np.ndarray | None) -> Candidates:
        """All thresholds that the error does not rule out."""
        data, weights = self.data, self.weights
        if drawn is not None:
            tried = self.histograms.tried
            tried[:] = False
            places, features = np.nonzero(drawn >= 0)
            tried[features, drawn[places, features]] = True
        error = self.error + 2 * (NARROW + 8) * _EPS * max(weights.absolute, self._weight) + data.n_rows * self._unit
        error += data.n_rows / weights.scale
        slack = SLACK * weights.absolute
        positive, negative = weights.fixed_totals
        bounds = Bounds(positive / weights.scale, negative / weights.scale, possible=-slack - error, certain=-slack + error)
        moved = [MovedRows(*taken, self._unit, *pair) for taken, pair in zip(self._taken, self._factors, strict=True)]
        certain, possible = np.empty(len(data.codes)), np.empty(len(data.codes))

        def work(part: Any) -> None:
            advance(data.codes, moved[0], *part, self.histograms.positive)
            advance(data.codes, moved[1], *part, self.histograms.negative)
            screen(self.histograms, bounds, *part, certain, possible)

        self.threads.run(work, self.parts)
        most = min(certain.min() + 4 * error + 2 * slack, np.finfo(np.float64).max)
        features = np.flatnonzero(possible <= most)
        places = np.empty((2, NARROW * len(features)), np.int64)
        count = finalists(self.histograms, bounds, most, features, places)
        return self._summed(*places[:, :count])


def choose_strategy(data: CodedData, weights: SampleWeights, threads: Threads, n_thresholds: int | None) -> Strategy:
    """Choose the cheapest strategy for the codes and the number of random thresholds per feature (None for all thresholds)."""
    few = n_thresholds is not None and n_thresholds <= _FEW
    if data.codes.dtype == np.uint8 and not few:
        return CarriedHistograms(data, weights, threads)
    return FreshHistograms(data, weights, threads) if n_thresholds is None else SumsAboveDrawn(data, weights, threads)
