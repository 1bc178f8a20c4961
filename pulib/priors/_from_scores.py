"""Estimates of the share of positives among unlabeled rows from classifier scores: best bin, Elkan and Noto."""

from __future__ import annotations

import numpy as np


def best_bin(positive_scores: np.ndarray, unlabeled_scores: np.ndarray, *, gamma: float = 0.01, delta: float = 0.1) -> float:
    """Best-bin estimation: the ratio of tails at the threshold with the least upper confidence bound.

    Garg et al., algorithm 1: with q_P(c) and q_U(c) the shares of held-out scores of at least c, the share of positives among
    the unlabeled is at most q_U(c) / q_P(c) for every c, with equality where the rows above c are all positive.  The threshold
    minimises that ratio plus what the finite samples can be wrong by.

    Parameters
    ----------
    positive_scores, unlabeled_scores : float arrays
        Scores of rows that the classifier was not trained on.
    gamma, delta : float
        The paper's γ and δ (0.01 and 0.1).
    """
    n_p, n_u = len(positive_scores), len(unlabeled_scores)
    thresholds = np.unique(positive_scores)
    q_p = 1.0 - np.searchsorted(np.sort(positive_scores), thresholds, side="left") / n_p
    q_u = 1.0 - np.searchsorted(np.sort(unlabeled_scores), thresholds, side="left") / n_u
    width = np.sqrt(np.log(4.0 / delta) / (2.0 * n_u)) + np.sqrt(np.log(4.0 / delta) / (2.0 * n_p))
    bound = (q_u + (1.0 + gamma) * width) / q_p
    best = int(np.argmin(bound))
    return float(q_u[best] / q_p[best])


def elkan_noto(positive_scores: np.ndarray, unlabeled_scores: np.ndarray) -> float:
    """Elkan and Noto's estimate from the mean score of labeled positives (their e1, eq. 4).

    The scores must be probabilities of being labeled, as frequent as in the data.  A true positive is labeled with probability
    c = E[score | labeled]; n_P labeled rows then come from n_P / c positives, of which n_P (1 − c) / c are unlabeled.
    """
    n_p, n_u = len(positive_scores), len(unlabeled_scores)
    c = max(float(np.mean(positive_scores)), 1e-12)
    return n_p * (1.0 - c) / (c * n_u)
