"""The share of positives among unlabeled rows, from classifier scores: best bin, Elkan and Noto."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


def _share_at_least(scores: np.ndarray, weights: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """The weighted share of scores that reach each threshold."""
    order = np.argsort(scores, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(weights[order])])
    return 1.0 - below[np.searchsorted(scores[order], thresholds, side="left")] / below[-1]


@dataclass(frozen=True)
class BestBin:
    """Best-bin estimation: the ratio of tails at the threshold with the least upper confidence bound.

    Garg et al., section 4, algorithm 1: with q_P(c) and q_U(c) the shares of held-out scores of at least c, the share of
    positives among the unlabeled is at most q_U(c) / q_P(c) for every c, with equality where the rows above c are all positive.
    The threshold minimizes that ratio plus what the finite samples can be wrong by, (1 + γ) / q_P(c) times the sum of
    sqrt(log(4/δ) / 2n) over the two samples, with γ = 0.01 and δ = 0.1 as in the paper's experiments.  The authors' program
    writes log(1/δ) there, and tries the unlabeled rows' scores for c; here it is the labeled rows', since between two of them
    the greater one is best.

    Parameters
    ----------
    scores : float array
        By a classifier that was not trained on the row.
    positive : bool array
    gamma, delta : float
        The paper's γ and δ.
    """

    scores: np.ndarray
    positive: np.ndarray
    gamma: float = 0.01
    delta: float = 0.1

    def share(self, weights: np.ndarray) -> float:
        """The share of positives among the unlabeled rows, when row i counts ``weights[i]`` times."""
        p, u = self.positive, ~self.positive
        thresholds = np.unique(self.scores[p & (weights > 0)])
        q_p = _share_at_least(self.scores[p], weights[p], thresholds)
        q_u = _share_at_least(self.scores[u], weights[u], thresholds)
        deviation = np.log(4.0 / self.delta) / 2.0
        width = np.sqrt(deviation / weights[u].sum()) + np.sqrt(deviation / weights[p].sum())
        best = int(np.argmin((q_u + (1.0 + self.gamma) * width) / q_p))
        return float(q_u[best] / q_p[best])


@dataclass(frozen=True)
class ElkanNoto:
    """Elkan and Noto's estimate from the mean score of labeled positives (their e1, section 3).

    The scores must be probabilities of being labeled, as frequent as in the data.  A true positive is labeled with probability
    c = E[score | labeled].

    Parameters
    ----------
    scores : float array
        By a classifier that was not trained on the row.
    positive : bool array
    """

    scores: np.ndarray
    positive: np.ndarray

    def share(self, weights: np.ndarray) -> float:
        """The share of positives among the unlabeled rows, when row i counts ``weights[i]`` times."""
        p = self.positive
        c = float(np.average(self.scores[p], weights=weights[p]))
        return share_from_label_frequency(c, weights[p].sum(), weights[~p].sum())


def share_from_label_frequency(c: float, n_labeled: float, n_unlabeled: float) -> float:
    """The share of positives among unlabeled rows, if each positive is labeled with probability c.

    The labeled rows then stem from n_labeled / c positives, of which a part 1 − c is among the unlabeled.
    """
    c = min(max(c, 1e-12), 1.0)
    return float(n_labeled * (1.0 - c) / (c * n_unlabeled))
