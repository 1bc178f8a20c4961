"""An estimate of the class prior with its interval and warnings, for ``fit`` and for the public functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulib._priors._bias import find_bias
from pulib._priors._bounds import permitted_share
from pulib._priors._build import Built, build_method, independent_shares
from pulib._priors._columns import separating_column
from pulib._priors._from_scores import BestBin, ElkanNoto
from pulib._priors._interval import prior_from_share, share_interval, tail_curve
from pulib._priors._prior_estimate import PriorEstimate
from pulib._typing import ArrayLike, MatrixLike
from pulib._warnings import column_warning, mean_score_warning, prior_warning, repeats_warning, selection_warning
from pulib._weights import of_rows, ones_for_none, row_weights, weighted_counts

#: The remedy if rows look repeated.
OWN_GROUPS = "groups=, one value per row"
#: Default number of resamples for the interval.
RESAMPLES = 200


def describe_prior(
    X: MatrixLike,
    positive: np.ndarray,
    method: str = "best_bin",
    *,
    confidence: float = 0.95,
    n_bootstrap: int = RESAMPLES,
    scenario: str = "two_sample",
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    remedy: str = OWN_GROUPS,
    random_state: int = 0,
    **looking: Any,
) -> PriorEstimate:
    """Do :func:`pulib.prior_interval` for encoded labels, without its warning.

    With ``n_bootstrap=0``, the ends of the interval are the estimate, and there are no warnings about them.  ``remedy`` is the
    argument to suggest if rows look repeated.
    """
    weights = row_weights(sample_weight, positive, positive)
    built = build_method(X, positive, method, groups=groups, weights=weights, random_state=random_state, **looking)
    counted = slice(None) if weights is None else weights > 0
    counts = weighted_counts(positive[counted], of_rows(weights, counted))
    share, limit = _share_and_limit(built)
    low = high = share
    messages = row_warnings(built, "the estimate of π", remedy)
    odd_rows = bool(messages)  # they may cause the other warnings
    if n_bootstrap:
        rows = built.groups, built.weights
        low, high = share_interval(built.method, built.positive, share, confidence, n_bootstrap, random_state, *rows)
        low, high = min(low, share), max(share, min(high, limit))
        if isinstance(built.method, BestBin) and not odd_rows:
            bias = find_bias(built, high, confidence, random_state)
            if bias is not None:
                high = max(high, bias.high)
                ends = (bias.share, bias.low, bias.high)
                among, least, most = (prior_from_share(value, *counts, scenario) for value in ends)
                messages.append(selection_warning(among, least, most, bias.column, bias.p_value))
    prior, low, high, limit = (prior_from_share(value, *counts, scenario) for value in (share, low, high, limit))
    if isinstance(built.method, ElkanNoto) and prior > limit and not odd_rows:
        messages.append(mean_score_warning(prior, limit))
    families = None if built.groups is None else len(np.unique(built.groups[built.positive]))
    message = prior_warning(
        prior,
        positive[counted],
        scenario,
        estimated=True,
        interval=(low, high) if n_bootstrap else None,
        weights=of_rows(weights, counted),
        n_families=families,
    )
    n_labeled, n_unlabeled = (round(count) for count in counts)
    return PriorEstimate(
        prior=prior,
        low=low,
        high=high,
        confidence=confidence,
        method=method,
        scenario=scenario,
        n_labeled=n_labeled,
        n_unlabeled=n_unlabeled,
        warnings=tuple(messages) if odd_rows or not message else (*messages, message),
        tail_curve=tail_curve(built.method, built.weights) if isinstance(built.method, BestBin) else None,
    )


def _share_and_limit(built: Built) -> tuple[float, float]:
    """Return the estimated share and its upper confidence bound given the scores, which caps best bin's estimate."""
    share = built.method.share(ones_for_none(built.weights, len(built.positive)))
    if isinstance(built.method, BestBin | ElkanNoto):
        own = independent_shares(built.positive, built.groups, built.weights)
        limit = permitted_share(built.method.scores, built.positive, own, weights=built.weights)
        as_published = getattr(built.method, "binomial", False) is False  # best_bin_paper or elkan_noto
        return (share if as_published else min(share, limit)), limit
    return share, 1.0


def row_warnings(built: Built, what: str, remedy: str = OWN_GROUPS) -> list[str]:
    """Doubts if rows look repeated and no groups are given, or if a column separates labeled from unlabeled rows."""
    repeats = "" if built.groups is not None else repeats_warning(built.X, built.positive, what, remedy=remedy)
    return [message for message in (repeats, column_warning(separating_column(built.X, built.positive))) if message]
