"""Estimate the class prior from a learner's held-out scores."""

from __future__ import annotations

import numpy as np

from pulib._priors._bounds import permitted_share
from pulib._priors._from_scores import BestBin
from pulib._priors._interval import prior_from_share, share_interval, tail_curve
from pulib._priors._prior_estimate import PriorEstimate
from pulib._warnings import prior_warning
from pulib._weights import effective_weights, of_rows, ones_for_none, weighted_counts

#: For the interval: maximum number of rows of each kind, and number of resamples.
_MOST, _RESAMPLES = 5_000, 200
_CONFIDENCE = 0.95


def prior_from_scores(
    scores: np.ndarray, positive: np.ndarray, scenario: str, weights: np.ndarray | None = None
) -> PriorEstimate:
    """Estimate π, with an interval, by best-bin estimation on held-out scores.

    With weights, sampling errors are those of the effective number of rows.
    """
    counts, given, weights = weighted_counts(positive, weights), weights, effective_weights(weights, positive)
    built = BestBin(scores, positive)
    limit = permitted_share(scores, positive, weights=weights)
    share = min(built.share(ones_for_none(weights, len(positive))), limit)
    rng = np.random.RandomState(0)
    some = np.concatenate([rng.permutation(np.flatnonzero(side))[:_MOST] for side in (positive, ~positive)])
    few = BestBin(scores[some], positive[some])
    low, high = share_interval(few, positive[some], share, _CONFIDENCE, _RESAMPLES, 0, weights=of_rows(weights, some))
    prior, low, high = (
        prior_from_share(value, *counts, scenario) for value in (share, min(low, share), max(share, min(high, limit)))
    )
    n_labeled, n_unlabeled = (round(n) for n in counts)
    message = prior_warning(prior, positive, scenario, estimated=True, interval=(low, high), weights=given)
    return PriorEstimate(
        prior=prior,
        low=low,
        high=high,
        confidence=_CONFIDENCE,
        method="best_bin",
        scenario=scenario,
        n_labeled=n_labeled,
        n_unlabeled=n_unlabeled,
        warnings=(message,) if message else (),
        tail_curve=tail_curve(built, weights),
    )
