"""The stump generator (algorithm 1): among the candidate thresholds of all features, the admissible stump of least ε.

Three ways to the same answer, chosen by what is cheaper: sums right of each threshold (few random thresholds), histograms
that are carried from round to round (one-byte codes), histograms made anew (more codes).  All end in the same exact sums in
fixed point, so that they agree to the last bit, for any number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pulib._compiled import helper, kernel
from pulib._random import between, new_state, random_double
from pulib.boosting._binning import CodedData, aligned_zeros
from pulib.boosting._carried import CarriedHistograms
from pulib.boosting._histogram import NARROW, best_cuts
from pulib.boosting._masked import sum_above, sums_above
from pulib.boosting._threads import Threads
from pulib.boosting._weights import SLACK, SampleWeights

#: Random thresholds per feature up to which summing each is cheaper than carrying histograms.
_FEW = 2
_NEVER = np.iinfo(np.int64).min


@dataclass(frozen=True)
class Stump:
    """``polarity`` where the value exceeds ``threshold``, ``-polarity`` elsewhere.

    ``cut`` is the last code up to the threshold; ``error`` and ``negative_risk`` are ε and ε_nn (eq. 8) for the weights that
    the stump was chosen for.
    """

    feature: int
    threshold: float
    cut: int
    polarity: int
    error: float
    negative_risk: float


@helper
def _count_edges(edges, value, equal):
    """How many of the ascending ``edges`` lie below ``value``, or at it where ``equal`` is true."""
    low = 0
    high = edges.shape[0]
    while low < high:
        middle = (low + high) >> 1
        if edges[middle] < value or (equal and edges[middle] == value):
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def draw_thresholds(seed_state, low, high, edges, starts, exact, thresholds, cuts):
    """Draw thresholds uniformly over each feature's range, and find the codes they cut at.

    Parameters
    ----------
    seed_state : uint64 array of shape (2,)
    low, high : float64 arrays of shape (n_features,)
        A feature whose range is empty gets cut -1.
    edges, starts, exact
        As in CodedData.
    thresholds, cuts : float64 and int64 arrays of shape (n_thresholds, n_features)
        Written.  Where edges are not exact, the threshold moves up to the next edge.
    """
    for feature in range(low.shape[0]):
        own = edges[starts[feature] : starts[feature + 1]]
        for s in range(thresholds.shape[0]):
            value = between(low[feature], high[feature], random_double(seed_state))
            if not high[feature] > low[feature]:
                thresholds[s, feature] = np.nan
                cuts[s, feature] = -1
            elif exact[feature]:
                below = _count_edges(own, value, True)
                if below == own.shape[0]:  # rounded up to the greatest value, with which nothing would be left above
                    below -= 1
                    value = own[below - 1]
                cuts[s, feature] = below - 1
                thresholds[s, feature] = value
            else:
                cuts[s, feature] = min(_count_edges(own, value, False), own.shape[0] - 2)
                thresholds[s, feature] = own[cuts[s, feature]]


class StumpSearch:
    """Finds stumps on coded data, round after round.

    Parameters
    ----------
    data : CodedData
    weights : SampleWeights
        Changed by :meth:`apply` only.
    threads : Threads
    n_thresholds : int or None
        Random thresholds per feature and round; None for all of them.
    """

    def __init__(self, data: CodedData, weights: SampleWeights, threads: Threads, n_thresholds: int | None):
        self.data, self.weights, self.threads, self.n_thresholds = data, weights, threads, n_thresholds
        n_features = len(data.codes)
        self.parts = threads.split(n_features)
        if n_thresholds is not None:
            self.thresholds = np.empty((n_thresholds, n_features))
            self.cuts = np.empty((n_thresholds, n_features), np.int64)
        narrow = data.codes.dtype == np.uint8
        self.histograms = CarriedHistograms(data, weights, threads) if narrow and (n_thresholds or NARROW) > _FEW else None

    def find(self, seed: int) -> Stump | None:
        """The best stump for the current weights, or None where no candidate has ε_nn >= 0."""
        if self.n_thresholds is not None:
            data = self.data
            arguments = (data.low, data.high, data.edges, data.starts, data.exact)
            draw_thresholds(new_state(seed), *arguments, self.thresholds, self.cuts)
        if self.histograms is not None:
            features, cuts = self.histograms.candidates(None if self.n_thresholds is None else self.cuts)
            above = [self._sums_of(feature, cut) for feature, cut in zip(features, cuts, strict=True)]
            positive, negative = np.array(above, np.int64).reshape(-1, 2).T
        elif self.n_thresholds is not None:
            features, cuts, positive, negative = self._sum_candidates()
        else:
            features, cuts, positive, negative = self._best_of_each()
        return self._choose(features, cuts, positive, negative)

    def apply(self, stump: Stump, alpha: float, normalize: bool) -> None:
        """Reweigh the rows (eq. 12)."""
        self._reweigh(self.data.codes[stump.feature], stump.cut, stump.polarity, alpha, normalize)

    def replay(self, above: np.ndarray, polarity: int, alpha: float, normalize: bool) -> None:
        """The same for a stump of an earlier fit, which may have had other codes; ``above`` are the rows past its threshold."""
        row = aligned_zeros(self.data.codes.shape[1:], self.data.codes.dtype)
        row[: len(above)] = above
        self._reweigh(row, 0, polarity, alpha, normalize)

    def _reweigh(self, row: np.ndarray, cut: int, polarity: int, alpha: float, normalize: bool) -> None:
        if self.histograms is not None:
            self.histograms.before_update(row, cut)
        factors = self.weights.update(row, cut, polarity, alpha, normalize)
        if self.histograms is not None:
            self.histograms.after_update(factors)

    def _sums_of(self, feature: int, cut: int) -> tuple[int, int]:
        """Fixed-point weight above the cut, counted as positive and as negative."""
        row, weights = self.data.codes[feature], self.weights
        return sum_above(row, weights.fixed_positive, cut), sum_above(row, weights.fixed_negative, cut)

    def _sum_candidates(self) -> tuple[np.ndarray, ...]:
        """Sums above every drawn threshold."""
        codes, weights = self.data.codes, self.weights
        positive, negative = np.empty_like(self.cuts), np.empty_like(self.cuts)
        kind = codes.dtype
        for s, cuts in enumerate(self.cuts):
            as_codes = np.maximum(cuts, 0).astype(kind)

            def work(part: Any, s: int = s, as_codes: np.ndarray = as_codes) -> None:
                sums_above(codes, weights.fixed_positive, as_codes, *part, positive[s])
                sums_above(codes, weights.fixed_negative, as_codes, *part, negative[s])

            self.threads.run(work, self.parts)
        _, features = np.nonzero(self.cuts >= 0)
        kept = self.cuts >= 0
        return features, self.cuts[kept], positive[kept], negative[kept]

    def _best_of_each(self) -> tuple[np.ndarray, ...]:
        """Each feature's best threshold among all, and the sums above it."""
        data, weights = self.data, self.weights
        n_features, most = len(data.codes), int(data.n_codes.max())
        errors, cuts, polarities = (np.zeros(n_features, np.int64) for _ in range(3))
        totals, slack = self._totals()

        def search(part: Any, enough: int = _NEVER) -> None:
            scratch = np.empty((2, most), np.int64)
            fixed = (weights.fixed_positive, weights.fixed_negative)
            best_cuts(data.codes, *fixed, data.n_codes, totals, slack, enough, *part, scratch, errors, cuts, polarities)

        self.threads.run(search, self.parts)
        features = np.flatnonzero(polarities)
        if len(features):
            enough = errors[features].min() + slack
            features = features[errors[features] <= enough][:1]
            search((features[0], features[0] + 1), enough)
        sums = [self._sums_of(int(feature), int(cuts[feature])) for feature in features]
        positive, negative = np.array(sums, np.int64).reshape(-1, 2).T
        return features, cuts[features], positive, negative

    def least_errors(self) -> tuple[float, float]:
        """The least ε of any stump on these features, and of any admissible one; infinity where there is none."""
        data, weights = self.data, self.weights
        (total_positive, total_negative), slack = self._totals()
        least = admissible = np.inf
        for feature in np.flatnonzero(data.n_codes > 1):
            row = data.codes[feature]
            bins = int(data.n_codes[feature])
            labeled = row[: len(weights.fixed_positive)]
            positive = np.cumsum(np.bincount(labeled, weights.fixed_positive, bins))[:-1]
            negative = np.cumsum(np.bincount(row, weights.fixed_negative, bins))[:-1]
            errors = np.array([total_positive - positive + negative, positive + total_negative - negative])
            allowed = np.array([negative, total_negative - negative]) >= -slack
            least = min(least, float(errors.min()) / weights.scale)
            admissible = min(admissible, float(errors[allowed].min(initial=np.inf)) / weights.scale)
        return least, admissible

    def _totals(self) -> tuple[tuple[int, int], int]:
        weights = self.weights
        totals = (int(weights.fixed_positive.sum()), int(weights.fixed_negative.sum()))
        return totals, int(SLACK * weights.absolute * weights.scale)

    def _choose(self, features: np.ndarray, cuts: np.ndarray, positive: np.ndarray, negative: np.ndarray) -> Stump | None:
        """The least admissible ε; of equal ones the first feature, the least cut, and polarity +1."""
        (total_positive, total_negative), slack = self._totals()
        errors = np.stack([total_positive - positive + negative, positive + total_negative - negative])
        negative_risks = np.stack([negative, total_negative - negative])
        admissible = negative_risks >= -slack
        if not admissible.any():
            return None
        which, place = np.nonzero(admissible & (errors <= errors[admissible].min() + slack))
        first = np.lexsort((which, cuts[place], features[place]))[0]
        side, place = int(which[first]), place[first]
        feature, cut, scale = int(features[place]), int(cuts[place]), self.weights.scale
        return Stump(
            feature=feature,
            threshold=self._threshold(feature, cut),
            cut=cut,
            polarity=1 - 2 * side,
            error=int(errors[side, place]) / scale,
            negative_risk=int(negative_risks[side, place]) / scale,
        )

    def _threshold(self, feature: int, cut: int) -> float:
        """The drawn threshold (the least of those that cut alike), or the middle between two codes."""
        if self.n_thresholds is None:
            return self.data.threshold_between(feature, cut)
        return float(self.thresholds[self.cuts[:, feature] == cut, feature].min())
