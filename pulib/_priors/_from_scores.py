"""The share of positives among unlabeled rows, from classifier scores: best bin, two normals, Elkan and Noto."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri

from pulib._weights import ones_for_none

#: Shares of the labeled rows at whose thresholds two normals are fitted, and the distances of their means that are tried.
_SHARES = np.arange(0.1, 0.95, 0.1)
_DISTANCES = np.linspace(0.2, 6.0, 30)
#: Share of a labeled row's rank in a tail's variance, at most a quarter; and a floor that keeps weights finite.
_QUARTER, _TINY = 0.25, 1e-5
#: Shares of labeled rows above the thresholds that are compared by binomial bounds, and the fewest labeled rows above one.
_TAILS = np.concatenate([[0.02, 0.05], np.arange(0.1, 1.05, 0.1)])
_LEAST, _ERROR = 5, 0.05
#: Garg et al.'s γ and δ.
_GAMMA, _DELTA = 0.01, 0.1


def share_at_least(scores: np.ndarray, weights: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
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

    That width is the same for great and small shares.  Where it exceeds the ratio itself, positives are rare, and it asks for a
    low threshold, above which there are many negatives.  With ``binomial`` (ours) the threshold is, of twelve, the one with the
    least ratio of Clopper and Pearson's bounds of the two shares.  None takes it where the width exceeds the ratio, and asks
    the paper's own threshold, whose ratio is too great for it where rare positives overlap with negatives; True does not ask.

    A labeled row and an unlabeled one stand for ``independent`` rows drawn apart from each other; for less than one where rows
    come in groups.
    """

    scores: np.ndarray
    positive: np.ndarray
    independent: tuple[float, float] = (1.0, 1.0)
    binomial: bool | None = None

    def share(self, weights: np.ndarray) -> float:
        """The share of positives among the unlabeled rows, when row i counts ``weights[i]`` times."""
        return self._best(weights)[0]

    def is_rare(self, weights: np.ndarray | None = None) -> bool:
        """Whether positives are so rare that the paper's width exceeds their share."""
        read = self if self.binomial else replace(self, binomial=False)
        weights = ones_for_none(weights, len(self.scores))
        return read.share(weights) < read._width(weights)

    def settled(self, weights: np.ndarray | None = None) -> BestBin:
        """The method with its settings fixed by these rows, so that resamples are treated alike."""
        return replace(self, binomial=self.is_rare(weights)) if self.binomial is None else self

    def likely(self, weights: np.ndarray | None = None) -> np.ndarray:
        """Which rows reach the paper's threshold, and are taken for positive."""
        return self.scores >= replace(self, binomial=False)._best(ones_for_none(weights, len(self.scores)))[1]

    def _best(self, weights: np.ndarray) -> tuple[float, float]:
        p, u = self.positive, ~self.positive
        thresholds = np.unique(self.scores[p & (weights > 0)])
        q_p = share_at_least(self.scores[p], weights[p], thresholds)
        q_u = share_at_least(self.scores[u], weights[u], thresholds)
        width = self._width(weights)
        best = int(np.argmin((q_u + width) / q_p))
        if self.binomial or (self.binomial is None and q_u[best] / q_p[best] < width):
            n_p, n_u = self._independent_rows(weights)
            some = grid_of_tails(q_p, n_p)
            best = int(some[np.argmin(bounds_of_ratio(q_p[some], q_u[some], n_p, n_u, _ERROR / len(some)))])
        return float(q_u[best] / q_p[best]), float(thresholds[best])

    def _independent_rows(self, weights: np.ndarray) -> tuple[float, float]:
        labeled, unlabeled = self.independent
        return weights[self.positive].sum() * labeled, weights[~self.positive].sum() * unlabeled

    def _width(self, weights: np.ndarray) -> float:
        """The confidence width of finite samples, times 1 + γ."""
        deviation = np.log(4.0 / _DELTA) / 2.0
        n_p, n_u = self._independent_rows(weights)
        return float((1.0 + _GAMMA) * (np.sqrt(deviation / n_u) + np.sqrt(deviation / n_p)))


def grid_of_tails(q_p: np.ndarray, n: float) -> np.ndarray:
    """Numbers of about twelve thresholds at which all shares of the labeled rows, from few to all, lie above.

    ``q_p`` are the shares of the n labeled rows that reach thresholds, in decreasing order; fewer than five rows above a
    threshold say nothing.
    """
    wanted = np.unique(np.maximum(_TAILS, min(_LEAST / n, 1.0)))
    return np.unique(len(q_p) - 1 - np.searchsorted(q_p[::-1], wanted * (1.0 - 1e-9)).clip(0, len(q_p) - 1))


def bounds_of_ratio(q_p: np.ndarray, q_u: np.ndarray, n_p: float, n_u: float, error: float) -> np.ndarray:
    """Upper bounds of q_U / q_P: Clopper and Pearson's upper bound of q_U over the lower one of q_P, each of half the error."""
    k_p, k_u = q_p * n_p, q_u * n_u
    least = betaincinv(np.maximum(k_p, _TINY), n_p - k_p + 1.0, 0.5 * error)
    greatest = np.where(q_u < 1.0, betaincinv(k_u + 1.0, np.maximum(n_u - k_u, _TINY), 1.0 - 0.5 * error), 1.0)
    return greatest / np.maximum(least, 1e-12)


@dataclass(frozen=True)
class TwoNormals:
    """The share if the scores of both classes were normal with one variance, after some increasing map.

    Where best bin takes the rows above its threshold for positive, this lets the classes overlap everywhere: with q_P the share
    of labeled rows above a threshold, the share of negatives there is Φ(Φ⁻¹(q_P) − d), and q_U lies between the two by π.  The
    least weighted squares over nine thresholds give d and π.  The other end of what scores may mean, for intervals.
    """

    scores: np.ndarray
    positive: np.ndarray

    def share(self, weights: np.ndarray) -> float:
        """The share of positives among the unlabeled rows, when row i counts ``weights[i]`` times."""
        p, u = self.positive, ~self.positive
        order = np.argsort(self.scores[p], kind="stable")[::-1]
        reached = np.cumsum(weights[p][order])
        n_p, n_u = reached[-1], weights[u].sum()
        thresholds = self.scores[p][order][np.searchsorted(reached, _SHARES * n_p * (1 - 1e-9))]
        q_p = share_at_least(self.scores[p], weights[p], thresholds)
        q_u = share_at_least(self.scores[u], weights[u], thresholds)
        negatives = ndtr(ndtri(np.clip(q_p, 1e-3, 1 - 0.5 / n_p)) - _DISTANCES[:, None])
        gain, above = q_p - negatives, q_u - negatives  # above = π gain
        precision = 1.0 / (q_u * (1 - q_u) / n_u + _QUARTER * q_p * (1 - q_p) / n_p + _TINY)
        share = np.clip((precision * gain * above).sum(axis=1) / np.maximum((precision * gain**2).sum(axis=1), 1e-12), 0, 1)
        misfit = (precision * (above - share[:, None] * gain) ** 2).sum(axis=1)
        return float(share[np.argmin(misfit)])


@dataclass(frozen=True)
class ElkanNoto:
    """Elkan and Noto's estimate from the mean score of labeled positives (their e1, section 3).

    The scores must be probabilities of being labeled, as frequent as in the data.  A true positive is labeled with probability
    c = E[score | labeled].
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
