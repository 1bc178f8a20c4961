"""The stump generator (algorithm 1): among the candidate thresholds of all features, the admissible stump of least ε."""

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
    """``polarity`` where the value exceeds ``threshold``, ``-polarity`` elsewhere.

    Rows without a value count as above the threshold where ``missing_above`` is true.  ``column`` is the feature's column of
    codes, ``cut`` is the last code up to the threshold; ``error`` and ``negative_risk`` are ε and ε_nn (eq. 8) for the weights
    that the stump was chosen for.
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
        """Which of the feature's values are above the threshold."""
        above: np.ndarray = values > self.threshold
        return above | np.isnan(values) if self.missing_above else above


@dataclass(frozen=True)
class Round:
    """A stump, what its vote counts (βα), what the rows were reweighted by (βα, or α), and what weight it was found on."""

    stump: Stump
    weight: float
    step: float
    negative_share: float


class Ranges(NamedTuple):
    """Where random thresholds come from, and what they cut; as in CodedData."""

    low: np.ndarray
    high: np.ndarray
    edges: np.ndarray
    starts: np.ndarray
    exact: np.ndarray
    skipped: np.ndarray


def ranges_of(data: CodedData) -> Ranges:
    """The part of coded data that :func:`draw_thresholds` takes."""
    return Ranges(data.low, data.high, data.edges, data.starts, data.exact, data.skipped)


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
def draw_thresholds(seed_state, ranges, thresholds, cuts):
    """Draw thresholds uniformly over each feature's range, and find the codes they cut at.

    Parameters
    ----------
    seed_state : uint64 array of shape (2,)
    ranges : Ranges
        A feature whose range is empty gets cut -1.  Features that are skipped take their random numbers with them, so that
        draws depend on the features that there are and not on how they are stored.
    thresholds, cuts : float64 and int64 arrays of shape (n_thresholds, n_features)
        Written.  Where edges are not exact, the threshold moves up to the next edge.
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
                if below == feature_edges.shape[0]:  # rounded up to the greatest value, with which nothing would be left above
                    below -= 1
                    value = feature_edges[below - 1]
                cuts[s, feature] = below - 1
                thresholds[s, feature] = value
            else:
                cuts[s, feature] = min(_count_edges(feature_edges, value, False), feature_edges.shape[0] - 2)
                thresholds[s, feature] = feature_edges[cuts[s, feature]]


class StumpSearch:
    """Finds stumps on coded data, round after round; ``weights`` are changed by :meth:`apply` only.

    There are ``n_thresholds`` random thresholds per feature and round; None looks at all of them.
    """

    def __init__(self, data: CodedData, weights: SampleWeights, threads: Threads, n_thresholds: int | None):
        self.data, self.weights, self.threads, self.n_thresholds = data, weights, threads, n_thresholds
        if n_thresholds is not None:
            self.thresholds = np.empty((n_thresholds, len(data.codes)))
            self.cuts = np.empty((n_thresholds, len(data.codes)), np.int64)

    @cached_property
    def strategy(self) -> Strategy:
        """Made for the weights of the round that first asks for it."""
        return choose_strategy(self.data, self.weights, self.threads, self.n_thresholds)

    def find(self, seed: int) -> Stump | None:
        """The best stump for the current weights, or None where no candidate has ε_nn >= 0."""
        if self.n_thresholds is None:
            return self._choose(self.strategy.candidates(None))
        draw_thresholds(new_state(seed), ranges_of(self.data), self.thresholds, self.cuts)
        return self._choose(self.strategy.candidates(self.cuts))

    def apply(self, stump: Stump, alpha: float, normalize: bool) -> None:
        """Reweigh the rows (eq. 12)."""
        row = self.data.codes[stump.column]
        self.strategy.before_update(row, stump.cut)
        self.strategy.after_update(self.weights.update(row, stump.cut, stump.polarity, alpha, normalize))

    def replay(self, above: np.ndarray, polarity: int, alpha: float, normalize: bool) -> None:
        """The same for a stump of an earlier fit, which may have had other codes; ``above`` are the rows past its threshold."""
        row = aligned_zeros(self.data.codes.shape[1:], self.data.codes.dtype)
        row[: len(above)] = above
        self.weights.update(row, 0, polarity, alpha, normalize)
        self.__dict__.pop("strategy", None)  # which takes over one update at a time, between two searches

    def least_errors(self) -> tuple[float, float]:
        """The least ε of any stump on these features, and of any admissible one; infinity where there is none."""
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
        """The least admissible ε; of equal ones the first feature, the least cut, and polarity +1."""
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
        """The drawn threshold (the least of those that cut alike), or the middle between two codes."""
        if self.n_thresholds is None:
            return self.data.threshold_between(feature, cut)
        return float(self.thresholds[self.cuts[:, feature] == cut, feature].min())


def why_no_stump(least: float, admissible: float, n_thresholds: int, prior: float) -> str:
    """The reason, from the least ε of any stump and of any admissible one, drawn or not."""
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
