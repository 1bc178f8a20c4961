"""Estimate the share of positives among unlabeled rows from classifier scores: best bin, two normals, Elkan and Noto."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri

from pulib._weights import ones_for_none

#: For two normals: shares of labeled rows above the thresholds of the fit, and distances of the means to try.
_SHARES = np.arange(0.1, 0.95, 0.1)
_DISTANCES = np.linspace(0.2, 6.0, 30)
#: Factor of the sampling variance of q_P in the fit, and a floor that keeps weights finite.
_QUARTER, _TINY = 0.25, 1e-5
#: For binomial bounds: shares of labeled rows above the thresholds, the fewest labeled rows above one, and the total error.
_TAILS = np.concatenate([[0.02, 0.05], np.arange(0.1, 1.05, 0.1)])
_LEAST, _ERROR = 5, 0.05
#: Garg et al.'s γ and δ.
_GAMMA, _DELTA = 0.01, 0.1


def share_at_least(scores: np.ndarray, weights: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Weighted share of scores at or above each threshold."""
    order = np.argsort(scores, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(weights[order])])
    return 1.0 - below[np.searchsorted(scores[order], thresholds, side="left")] / below[-1]


@dataclass(frozen=True)
class BestBin:
    """Best-bin estimation: the ratio of tails at the threshold with the lowest upper confidence bound.

    Garg et al., section 4, algorithm 1: with q_P(c) and q_U(c) the shares of held-out scores of at least c, the share of
    positives among the unlabeled is at most q_U(c) / q_P(c) for every c, with equality if the rows above c are all positive.
    The threshold minimizes that ratio plus an error bound for finite samples, (1 + γ) / q_P(c) times the sum of
    sqrt(log(4/δ) / 2n) over the two samples, with γ = 0.01 and δ = 0.1 as in the paper's experiments.  The authors' program has
    log(1/δ) there, and searches c among the unlabeled rows' scores; here it is the labeled rows', because q_P changes only at
    these, and of all c with the same q_P the largest is best.

    That error bound is the same for large and small shares.  If it exceeds the ratio itself, positives are rare, and it leads
    to a low threshold with many negatives above it.  With ``binomial`` (ours), the threshold instead minimizes the ratio of
    Clopper–Pearson bounds of the two shares, over about twelve thresholds.  None does so if the error bound exceeds the ratio
    at the paper's threshold, which misses rare positives that overlap with negatives, because the ratio is then too large; True
    always does so.

    ``independent`` is the number of independent rows that a labeled and an unlabeled row represent: less than 1 if rows come in
    groups.
    """

    scores: np.ndarray
    positive: np.ndarray
    independent: tuple[float, float] = (1.0, 1.0)
    binomial: bool | None = None

    def share(self, weights: np.ndarray) -> float:
        """Share of positives among the unlabeled rows if row i counts ``weights[i]`` times."""
        return self._best(weights)[0]

    def is_rare(self, weights: np.ndarray | None = None) -> bool:
        """Whether positives are so rare that the paper's error bound exceeds their share."""
        read = self if self.binomial else replace(self, binomial=False)
        weights = ones_for_none(weights, len(self.scores))
        return read.share(weights) < read._width(weights)

    def settled(self, weights: np.ndarray | None = None) -> BestBin:
        """Fix ``binomial`` given these rows, so that all resamples use the same method."""
        return replace(self, binomial=self.is_rare(weights)) if self.binomial is None else self

    def likely(self, weights: np.ndarray | None = None) -> np.ndarray:
        """Mask of likely positives: the rows at or above the paper's threshold."""
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
        """Error bound for finite samples, times 1 + γ."""
        deviation = np.log(4.0 / _DELTA) / 2.0
        n_p, n_u = self._independent_rows(weights)
        return float((1.0 + _GAMMA) * (np.sqrt(deviation / n_u) + np.sqrt(deviation / n_p)))


def grid_of_tails(q_p: np.ndarray, n: float) -> np.ndarray:
    """Indices of about twelve thresholds, from few to all labeled rows above them, but at least five.

    ``q_p`` has the shares of the n labeled rows above ascending thresholds.
    """
    wanted = np.unique(np.maximum(_TAILS, min(_LEAST / n, 1.0)))
    return np.unique(len(q_p) - 1 - np.searchsorted(q_p[::-1], wanted * (1.0 - 1e-9)).clip(0, len(q_p) - 1))


def bounds_of_ratio(q_p: np.ndarray, q_u: np.ndarray, n_p: float, n_u: float, error: float) -> np.ndarray:
    """Upper bounds of q_U / q_P: Clopper–Pearson's upper bound of q_U over the lower bound of q_P, each at half the error."""
    k_p, k_u = q_p * n_p, q_u * n_u
    least = betaincinv(np.maximum(k_p, _TINY), n_p - k_p + 1.0, 0.5 * error)
    greatest = np.where(q_u < 1.0, betaincinv(k_u + 1.0, np.maximum(n_u - k_u, _TINY), 1.0 - 0.5 * error), 1.0)
    return greatest / np.maximum(least, 1e-12)


@dataclass(frozen=True)
class TwoNormals:
    """The share if scores of both classes are normal with equal variance, after some increasing transformation.

    Unlike best bin, this model lets the classes overlap everywhere: if q_P is the share of labeled rows above a threshold, the
    share of negatives is Φ(Φ⁻¹(q_P) − d), and q_U is their mixture with weight π.  Weighted least squares over nine thresholds
    give d and π.  Intervals use it as the opposite extreme of best bin's assumption.
    """

    scores: np.ndarray
    positive: np.ndarray

    def share(self, weights: np.ndarray) -> float:
        """Share of positives among the unlabeled rows if row i counts ``weights[i]`` times."""
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

    The scores must be calibrated probabilities of being labeled.  A true positive is labeled with probability
    c = E[score | labeled].
    """

    scores: np.ndarray
    positive: np.ndarray

    def share(self, weights: np.ndarray) -> float:
        """Share of positives among the unlabeled rows if row i counts ``weights[i]`` times."""
        p = self.positive
        c = float(np.average(self.scores[p], weights=weights[p]))
        return share_from_label_frequency(c, weights[p].sum(), weights[~p].sum())


def share_from_label_frequency(c: float, n_labeled: float, n_unlabeled: float) -> float:
    """Share of positives among unlabeled rows if each positive is labeled with probability c.

    The labeled rows are then a sample of n_labeled / c positives, of which a share 1 − c is unlabeled.
    """
    c = min(max(c, 1e-12), 1.0)
    return float(n_labeled * (1.0 - c) / (c * n_unlabeled))
