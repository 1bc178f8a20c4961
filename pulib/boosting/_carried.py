"""Histograms of the weights that are carried from round to round, and what they can still be trusted for."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulib.boosting._binning import CodedData
from pulib.boosting._histogram import NARROW, advance, finalists, screen
from pulib.boosting._threads import Threads
from pulib.boosting._weights import SLACK, SampleWeights, SideFactors, rows_of_side

#: Carried histograms are made anew when their error may exceed this share of the weights.
_DRIFT = 1e-9
_EPS = np.finfo(np.float64).eps


class CarriedHistograms:
    """Weight per one-byte code, carried from round to round, with a bound on the error of any sum of them."""

    def __init__(self, data: CodedData, weights: SampleWeights, threads: Threads):
        self.data, self.weights, self.threads = data, weights, threads
        n_features = len(data.codes)
        self.parts = threads.split(n_features)
        self.positive, self.negative = np.zeros((n_features, NARROW)), np.zeros((n_features, NARROW))
        self.tried = np.ones((n_features, NARROW), bool)
        self._rows = np.zeros(data.n_rows + 1, np.int32)
        self._everything()

    def _everything(self) -> None:
        """Let the next pass visit all rows and forget the rest."""
        n = self.data.n_rows
        self._rows[:n] = np.arange(n, dtype=np.int32)
        self._take(n)
        self._factors = ((0.0, 1.0), (0.0, 1.0))
        self.error = 0.0

    def _take(self, n: int) -> None:
        """Keep the present weights of the first ``n`` numbers in ``_rows``, in pairs."""
        rows, fixed = self._rows, (self.weights.fixed_positive, self.weights.fixed_negative)
        labeled = int(np.searchsorted(rows[:n], self.weights.n_labeled))
        self._parts = []
        for weights, count in zip(fixed, (labeled, n), strict=True):
            even = count + count % 2
            numbers = np.zeros(even, np.int32)
            numbers[:count] = rows[:count]
            taken = np.zeros(even, np.int64)
            taken[:count] = weights[numbers[:count]]
            self._parts.append((numbers, taken, even))
        self._unit, self._weight = 1.0 / self.weights.scale, self.weights.absolute

    def before_update(self, row: np.ndarray, cut: int) -> None:
        """Remember the rows of the smaller side of a stump, and their weights before they change."""
        n = self.data.n_rows
        above = int(np.count_nonzero(row[:n] > cut))
        self._high = 2 * above <= n
        count = rows_of_side(row, cut, self._high, n, self._rows)
        self._take(count)

    def after_update(self, factors: SideFactors) -> None:
        """Take over the factors of both sides, and what they do to the error."""
        pairs = (factors.positive, factors.negative)
        ordered = [(low, high) if self._high else (high, low) for low, high in pairs]
        self._factors = (ordered[0], ordered[1])
        greatest = max(max(pair) for pair in self._factors)
        rounding = 8 * _EPS * self._weight + self.data.n_rows * self._unit
        self.error = greatest * (self.error + rounding)
        if self.error > _DRIFT * self.weights.absolute:
            self._everything()

    def candidates(self, cuts: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Features and cuts among which the best stump is: all that the error does not rule out."""
        data, weights = self.data, self.weights
        if cuts is not None:
            self.tried[:] = False
            drawn, tried = np.nonzero(cuts >= 0)
            self.tried[tried, cuts[drawn, tried]] = True
        totals = (float(weights.fixed_positive.sum()) / weights.scale, float(weights.fixed_negative.sum()) / weights.scale)
        error = self.error + 2 * (NARROW + 8) * _EPS * max(weights.absolute, self._weight) + data.n_rows * self._unit
        error += data.n_rows / weights.scale
        slack = SLACK * weights.absolute
        certain, possible = np.empty(len(data.codes)), np.empty(len(data.codes))

        def work(part: Any) -> None:
            scratch = np.empty(8 * NARROW, np.int64)
            for histogram, (rows, taken, n), factors in zip(
                (self.positive, self.negative), self._parts, self._factors, strict=True
            ):
                advance(data.codes, rows, taken, n, self._unit, *factors, *part, scratch, histogram)
            screen(self.positive, self.negative, data.n_codes, self.tried, totals, slack, error, *part, certain, possible)

        self.threads.run(work, self.parts)
        bound = min(certain.min() + 4 * error + 2 * slack, np.finfo(np.float64).max)
        features: list[np.ndarray] = []
        found: list[np.ndarray] = []
        codes = np.empty(NARROW, np.int64)
        for feature in np.flatnonzero(possible <= bound):
            shared = (self.positive, self.negative, data.n_codes, self.tried, totals, slack, error, bound)
            count = finalists(*shared, feature, codes)
            features.append(np.full(count, feature))
            found.append(codes[:count].copy())
        if not features:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        return np.concatenate(features), np.concatenate(found)
