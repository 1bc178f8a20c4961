"""Scores of out-of-fold answers, all candidates at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def pu_scores(answers: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """:func:`pulib.metrics.pu_score` of many sets of answers: recall² / Pr(ŷ = 1) (eq. 2.7), 0 where nothing is held positive.

    Parameters
    ----------
    answers : bool array of shape (n_candidates, n_samples)
    positive : bool array of shape (n_samples,)
        Labeled positives; at least one.

    Returns
    -------
    scores : float array of shape (n_candidates,)
    """
    share = answers.mean(axis=1)
    recall = answers[:, positive].mean(axis=1)
    return np.divide(recall**2, share, out=np.zeros(len(answers)), where=share > 0)


#: Scorings that need answers only, and so can be computed from shared fits; by the name that the search takes.
BATCH_SCORES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {"pu_score": pu_scores}
