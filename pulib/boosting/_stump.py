"""The stump generator (algorithm 1), which finds the admissible stump with the least ε among all candidates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pulib._compiled import helper, kernel
from pulib._random import between, new_state, next_uint64, random_double
from pulib.boosting._binning import CodedData, aligned_zeros
from pulib.boosting._strategies import Candidates, Strategy, choose_strategy
from pulib.boosting._threads import Threads
from pulib.boosting._weights import SampleWeights


@dataclass(frozen=True)
class Stump:
    """Stump that votes ``polarity`` if the value exceeds ``threshold``, otherwise ``-polarity``.

    Missing values count as above if ``missing_above`` is true.  ``column`` is the feature's column of codes, and ``cut`` the
    last code up to the threshold.  ``error`` and ``negative_risk`` are ε and ε_nn (eq. 8) when the stump was chosen.
    """

    feature: int
    threshold: float
    cut: int
    polarity: int
    error: float
    negative_risk: float
    column: int
    missing_above: bool

    def above(self, values: np.ndarray) -> np.ndarray:
        """Mask of the feature's values above the threshold."""
        above: np.ndarray = values > self.threshold
        return above | np.isnan(values) if self.missing_above else above


@dataclass(frozen=True)
class Round:
    """A stump, the weight of its vote (βα), the exponent of the reweighting (βα or α), and the share of negative weight."""

    stump: Stump
    weight: float
    step: float
    negative_share: float


class Ranges(NamedTuple):
    """Fields of :class:`CodedData` for :func:`draw_thresholds`."""

    low: np.ndarray
    high: np.ndarray
    edges: np.ndarray
    starts: np.ndarray
    exact: np.ndarray
    skipped: np.ndarray


def ranges_of(data: CodedData) -> Ranges:
    """Take the fields of ``data`` for :func:`draw_thresholds`."""
    return Ranges(data.low, data.high, data.edges, data.starts, data.exact, data.skipped)


@helper
def _count_edges(edges, value, equal):
    """Number of the ascending ``edges`` below ``value``, or up to it if ``equal`` is true."""
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
def draw_thresholds(seed_state, ranges, thresholds, cuts):
    """Draw thresholds uniformly over each feature's range, and find the codes at which they cut.

    ``thresholds`` and ``cuts``, float64 and int64 arrays of shape (n_thresholds, n_features), are written to.  If edges are not
    exact, the threshold moves up to the next edge.  A feature with an empty range gets cut -1.  Skipped features also use up
    random numbers, so that draws do not depend on whether ``X`` is sparse.
    """
    low, high, edges, starts, exact, skipped = ranges
    for feature in range(low.shape[0]):
        feature_edges = edges[starts[feature] : starts[feature + 1]]
        for _ in range(skipped[feature] * thresholds.shape[0]):
            next_uint64(seed_state)
        for s in range(thresholds.shape[0]):
            value = between(low[feature], high[feature], random_double(seed_state))
            if not high[feature] > low[feature]:
                thresholds[s, feature] = np.nan
                cuts[s, feature] = -1
            elif exact[feature]:
                below = _count_edges(feature_edges, value, True)
                if below == feature_edges.shape[0]:  # rounded up to the greatest value, with nothing above
                    below -= 1
                    value = feature_edges[below - 1]
                cuts[s, feature] = below - 1
                thresholds[s, feature] = value
            else:
                cuts[s, feature] = min(_count_edges(feature_edges, value, False), feature_edges.shape[0] - 2)
                thresholds[s, feature] = feature_edges[cuts[s, feature]]


class StumpSearch:
    """Search for stumps on coded data, round after round; only :meth:`apply` and :meth:`replay` change ``weights``.

    ``n_thresholds`` is the number of random thresholds per feature and round; None tries all thresholds.
    """

    def __init__(self, data: CodedData, weights: SampleWeights, threads: Threads, n_thresholds: int | None):
        self.data, self.weights, self.threads, self.n_thresholds = data, weights, threads, n_thresholds
        if n_thresholds is not None:
            self.thresholds = np.empty((n_thresholds, len(data.codes)))
            self.cuts = np.empty((n_thresholds, len(data.codes)), np.int64)

    @cached_property
    def strategy(self) -> Strategy:
        """Strategy, created at its first use, for the weights of that round."""
        return choose_strategy(self.data, self.weights, self.threads, self.n_thresholds)

    def find(self, seed: int) -> Stump | None:
        """Find the best stump for the current weights, or None if no candidate has ε_nn >= 0."""
        if self.n_thresholds is None:
            return self._choose(self.strategy.candidates(None))
        draw_thresholds(new_state(seed), ranges_of(self.data), self.thresholds, self.cuts)
        return self._choose(self.strategy.candidates(self.cuts))

    def apply(self, stump: Stump, alpha: float, normalize: bool) -> None:
        """Reweight the rows (eq. 12)."""
        row = self.data.codes[stump.column]
        self.strategy.before_update(row, stump.cut)
        self.strategy.after_update(self.weights.update(row, stump.cut, stump.polarity, alpha, normalize))

    def replay(self, above: np.ndarray, polarity: int, alpha: float, normalize: bool) -> None:
        """Reweight the rows by a stump of an earlier fit, which may have had other codes; ``above`` masks rows above it."""
        row = aligned_zeros(self.data.codes.shape[1:], self.data.codes.dtype)
        row[: len(above)] = above
        self.weights.update(row, 0, polarity, alpha, normalize)
        self.__dict__.pop("strategy", None)  # a strategy can only follow one update between two searches

    def least_errors(self) -> tuple[float, float]:
        """Least ε of all stumps on these features, and of the admissible ones; infinity if there are none."""
        data, weights = self.data, self.weights
        total_positive, total_negative = weights.fixed_totals
        least = admissible = np.inf
        for feature in np.flatnonzero(data.n_codes > 1):
            row = data.codes[feature]
            bins = int(data.n_codes[feature])
            labeled = row[: len(weights.fixed_positive)]
            positive = np.cumsum(np.bincount(labeled, weights.fixed_positive, bins))[:-1]
            negative = np.cumsum(np.bincount(row, weights.fixed_negative, bins))[:-1]
            errors = np.array([total_positive - positive + negative, positive + total_negative - negative])
            allowed = np.array([negative, total_negative - negative]) >= -weights.fixed_slack
            least = min(least, float(errors.min()) / weights.scale)
            admissible = min(admissible, float(errors[allowed].min(initial=np.inf)) / weights.scale)
        return least, admissible

    def _choose(self, candidates: Candidates) -> Stump | None:
        """Choose the least admissible ε; ties go to the first feature, then the smallest cut, then polarity +1."""
        features, cuts, positive, negative = candidates
        total_positive, total_negative = self.weights.fixed_totals
        slack = self.weights.fixed_slack
        errors = np.stack([total_positive - positive + negative, positive + total_negative - negative])
        negative_risks = np.stack([negative, total_negative - negative])
        admissible = negative_risks >= -slack
        if not admissible.any():
            return None
        which, place = np.nonzero(admissible & (errors <= errors[admissible].min() + slack))
        first = np.lexsort((which, cuts[place], features[place]))[0]
        side, place = int(which[first]), place[first]
        column, cut, scale = int(features[place]), int(cuts[place]), self.weights.scale
        feature = int(self.data.source[column])
        return Stump(
            feature=feature,
            threshold=self._threshold(column, cut),
            cut=cut,
            polarity=1 - 2 * side,
            error=int(errors[side, place]) / scale,
            negative_risk=int(negative_risks[side, place]) / scale,
            column=column,
            missing_above=column >= self.data.n_once,
        )

    def _threshold(self, feature: int, cut: int) -> float:
        """Drawn threshold (the least of those with the same cut), or the middle between two codes."""
        if self.n_thresholds is None:
            return self.data.threshold_between(feature, cut)
        return float(self.thresholds[self.cuts[:, feature] == cut, feature].min())


def why_no_stump(least: float, admissible: float, n_thresholds: int, prior: float) -> str:
    """Explain why there is no stump, from the least ε of all stumps and of the admissible ones, drawn or not."""
    if math.isinf(least):
        return "all features are constant"
    if admissible < 0.5:
        return (
            f"none of the n_thresholds={n_thresholds} that were drawn per feature gives one, but there is one of error "
            f"{admissible:.3g}. Use splitter='best' or more thresholds: outliers make most draws useless"
        )
    if least < 0.5:
        return (
            f"every stump of error ε < 0.5 has a negative error on negatives, ε_nn (the smallest ε is {least:.3g}); "
            f"prior={prior:.3g} may be too large for these unlabeled rows"
        )
    return f"the smallest error of a stump is {least:.3g}, which is not below 0.5"
