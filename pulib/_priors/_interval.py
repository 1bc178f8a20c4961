"""Intervals of the share of positives among unlabeled rows: the bootstrap, and extensions for best bin's assumption."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from pulib._priors._from_scores import BestBin, ElkanNoto, TwoNormals, share_at_least
from pulib._priors._subtypes import Subtypes
from pulib._priors._tice import TIcE
from pulib._warnings import FEW_LABELS
from pulib._weights import effective_count, of_rows, ones_for_none

#: Above this estimate, labeled and unlabeled rows look alike and give no lower bound.
_ALIKE = 0.98


class Method(Protocol):
    """A method fitted to rows, which returns an estimate for any row weights."""

    def share(self, weights: np.ndarray) -> float: ...


def share_interval(
    built: Method,
    positive: np.ndarray,
    share: float,
    confidence: float,
    n_bootstrap: int,
    random_state: int,
    groups: np.ndarray | None = None,
    weights: np.ndarray | None = None,
) -> tuple[float, float]:
    """Return the ends of an interval around an estimated share; :func:`pulib.prior_interval` explains its extensions.

    Labeled and unlabeled rows, or groups with labeled rows and groups without, are resampled separately.  With groups, the
    limit of 30 labels is one of 30 groups with labels.
    """
    drawn = confidence, n_bootstrap, random_state, groups, weights
    ends = [share, *percentiles(built, positive, *drawn)]
    if isinstance(built, BestBin | ElkanNoto):
        normals = TwoNormals(built.scores, built.positive)
        ends += percentiles(normals, positive, *drawn)
    low, high = min(ends), max(ends)
    if isinstance(built, BestBin | ElkanNoto):
        low -= _rank_error(built.scores, built.positive, share, weights)
    if isinstance(built, BestBin | Subtypes | TIcE):  # a minimum over noisy ratios, which is too low on resamples
        high = max(high, 2.0 * share - ends[1])
    if isinstance(built, Subtypes):
        plain = built.without_cells()  # best bin
        alone = plain.share(ones_for_none(weights, len(positive)))
        others = share_interval(plain, positive, alone, *drawn)
        return min(low, *others), max(high, *others)
    if isinstance(built, BestBin):
        n_labels = positive.sum() if weights is None else round(effective_count(weights[positive]))
        if (n_labels if groups is None else len(np.unique(groups[positive]))) < FEW_LABELS:
            return 0.0, 1.0
        low = 0.0 if share > _ALIKE else low
    return low, high


def percentiles(
    built: Method,
    positive: np.ndarray,
    confidence: float,
    n_bootstrap: int,
    random_state: int,
    groups: np.ndarray | None = None,
    weights: np.ndarray | None = None,
) -> tuple[float, float]:
    """Percentiles of the share over resamples of rows or groups."""
    if hasattr(built, "scores"):
        order = np.argsort(built.scores, kind="stable")  # once for all resamples
        positive, groups, weights = positive[order], of_rows(groups, order), of_rows(weights, order)
        built = in_order(built, order)
    if isinstance(built, BestBin):
        built = built.settled(weights)
    rng = np.random.RandomState(random_state)
    ones = ones_for_none(weights, len(positive))
    shares = [built.share(ones * _resample(positive, groups, rng)) for _ in range(n_bootstrap)]
    low, high = np.quantile(shares, [0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence]).tolist()
    return low, high


def in_order(built: Any, order: np.ndarray) -> Any:
    """Reorder the rows of a method that uses scores."""
    rows = {name: getattr(built, name)[order] for name in ("scores", "positive", "cells") if hasattr(built, name)}
    return replace(built, **rows)


def _resample(positive: np.ndarray, groups: np.ndarray | None, rng: np.random.RandomState) -> np.ndarray:
    """Draw a bootstrap sample of rows or groups, and return how often each row is drawn."""
    if groups is not None:
        return _resample_groups(positive, groups, rng)
    weights = np.zeros(len(positive))
    for rows in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        weights[rows] = np.bincount(rng.randint(len(rows), size=len(rows)), minlength=len(rows))
    return weights


def _resample_groups(positive: np.ndarray, groups: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Draw groups with labeled rows and groups without separately, and return how often each row is drawn."""
    holds_labeled = np.bincount(groups, weights=positive) > 0
    drawn = np.zeros(len(holds_labeled))
    for side in (np.flatnonzero(holds_labeled), np.flatnonzero(~holds_labeled)):
        if len(side):
            drawn += np.bincount(side[rng.randint(len(side), size=len(side))], minlength=len(drawn))
    weights = drawn[groups]
    return weights if weights[~positive].any() else np.ones(len(groups))  # a resample may lack unlabeled rows


def _rank_error(scores: np.ndarray, positive: np.ndarray, share: float, weights: np.ndarray | None = None) -> float:
    """Probability that a negative is ranked above a positive, given the share of positives π.

    The AUC of labeled against unlabeled rows is π/2 + (1 − π) times the AUC of positives against negatives.
    """
    reached, others = scores[positive], scores[~positive]
    count = ones_for_none(of_rows(weights, ~positive), len(others))
    above = 0.5 * (share_at_least(others, count, reached) + share_at_least(others, count, np.nextafter(reached, np.inf)))
    mean = np.average(above, weights=of_rows(weights, positive))
    return float(np.clip((mean - share / 2) / max(1.0 - share, 1e-3), 0.0, 0.5))


def prior_from_share(share: float, n_labeled: float, n_unlabeled: float, scenario: str) -> float:
    """Convert the share of positives among the unlabeled rows to π, inside (0, 1)."""
    margin = 1.0 / (n_unlabeled + 2.0)
    share = float(np.clip(share, margin, 1.0 - margin))
    if scenario == "two_sample":
        return share
    labeled = n_labeled / (n_labeled + n_unlabeled)
    return labeled + (1.0 - labeled) * share


def hidden_share(prior: float, n_labeled: float, n_unlabeled: float, scenario: str) -> float:
    """Invert :func:`prior_from_share`; 0 if π is below the share of labeled rows in a single sample."""
    labeled = n_labeled / (n_labeled + n_unlabeled) if scenario == "one_sample" else 0.0
    return max((prior - labeled) / (1.0 - labeled), 0.0)


def tail_curve(built: BestBin, weights: np.ndarray | None = None) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Shares of labeled rows above thresholds, and the ratios of unlabeled to labeled shares there."""
    p, u = built.scores[built.positive], built.scores[~built.positive]
    of_p, of_u = (of_rows(weights, rows) for rows in (built.positive, ~built.positive))
    thresholds = np.unique(np.quantile(p, np.linspace(0.0, 1.0, 100), method="inverted_cdf", weights=of_p))[::-1]
    q_p, q_u = (share_at_least(side, ones_for_none(own, len(side)), thresholds) for side, own in ((p, of_p), (u, of_u)))
    return tuple(q_p.tolist()), tuple((q_u / q_p).tolist())
