"""Scores of out-of-fold predictions, for all candidates at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pulib.metrics._formulas import pu_score_of


def pu_scores(predictions: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """:func:`pulib.metrics.pu_score` of predictions of shape (n_candidates, n_samples); at least one row must be labeled."""
    return pu_score_of(predictions[:, positive].mean(axis=1), predictions.mean(axis=1))


#: Scorings that need only predictions, and so can be computed from shared fits, by name.
BATCH_SCORES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {"pu_score": pu_scores}
