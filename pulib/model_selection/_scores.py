"""Scores of out-of-fold predictions, all candidates at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pulib.metrics._formulas import pu_score_of


def pu_scores(answers: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """:func:`pulib.metrics.pu_score` of many sets of predictions: recall² / Pr(ŷ = 1) (eq. 2.7), 0 where nothing is positive.

    ``answers`` has shape (n_candidates, n_samples), and at least one row is a labeled positive.
    """
    return pu_score_of(answers[:, positive].mean(axis=1), answers.mean(axis=1))


#: Scorings that need predictions only, and so can be computed from shared fits; by the name that the search takes.
BATCH_SCORES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {"pu_score": pu_scores}
