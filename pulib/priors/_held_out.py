"""The class prior from scores of held-out rows that a learner has anyway."""

from __future__ import annotations

import numpy as np

from pulib._doubts import doubt_of_prior
from pulib._weights import of_rows, ones_for_none
from pulib.priors._bounds import permitted_share
from pulib.priors._from_scores import BestBin
from pulib.priors._interval import prior_from_share, share_interval, tail_curve
from pulib.priors._prior_estimate import PriorEstimate

#: Rows of either kind whose resamples make the interval, at most, and resamples.
_MOST, _RESAMPLES = 5_000, 200
_CONFIDENCE = 0.95


def describe_scores(
    scores: np.ndarray, positive: np.ndarray, weights: np.ndarray | None, counts: tuple[float, float], scenario: str
) -> PriorEstimate:
    """Best bin on scores of held-out rows, with its interval.

    Parameters
    ----------
    scores : float array of shape (n_samples,)
    positive : bool array of shape (n_samples,)
    weights : float array of shape (n_samples,) or None
        Of the rows; those of a kind add up to the number of rows that they are worth.
    counts : (float, float)
        Labeled and unlabeled rows, in the proportion of their weights.
    scenario : {"two_sample", "one_sample"}
    """
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
    n_labels = None if weights is None else round(weights[positive].sum())
    doubt = doubt_of_prior(prior, n_labeled, n_unlabeled, scenario, estimated=True, interval=(low, high), n_labels=n_labels)
    return PriorEstimate(
        prior=prior,
        low=low,
        high=high,
        confidence=_CONFIDENCE,
        method="best_bin",
        scenario=scenario,
        n_labeled=n_labeled,
        n_unlabeled=n_unlabeled,
        warnings=(doubt,) if doubt else (),
        tail_curve=tail_curve(built, weights),
    )
