"""A permutation test of whether the ranks of labeled and unlabeled rows differ in any of several columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

#: Number of permutations at a time, which limits the memory of the label matrix.
_AT_ONCE = 256


class RankTest(NamedTuple):
    """The largest standardized rank sum, its column and p-value, and the statistics of permuted labels (``drawn``).

    ``counts`` are the numbers of labeled and of unlabeled units (rows or groups) that were permuted.
    """

    statistic: float
    column: int
    p_value: float
    drawn: np.ndarray
    counts: tuple[int, int]


def compare_ranks(
    rows: np.ndarray, labeled: np.ndarray, n_permutations: int, rng: np.random.RandomState, groups: np.ndarray | None = None
) -> RankTest:
    """Test the largest absolute standardized rank sum against those of permuted labels.

    A group has the label of the majority of its rows, and groups are permuted as a whole; if all have one label, p is 1.
    """
    z = standardized_ranks(rows)
    if groups is not None:
        z, labeled = _by_group(z, labeled, groups)
    counts = int(labeled.sum()), int((~labeled).sum())
    if min(counts) == 0:
        return RankTest(0.0, 0, 1.0, np.zeros(n_permutations), counts)
    observed = np.abs(rank_sums(z, labeled[None, :]))[0]
    drawn = np.concatenate([_drawn_maxima(z, labeled, n, rng) for n in _batches(n_permutations)])
    column = int(np.argmax(observed))
    statistic = float(observed[column])
    reached = np.count_nonzero(drawn >= statistic * (1 - 1e-12))
    p_value = float((1 + reached) / (1 + n_permutations))
    return RankTest(statistic, column, p_value, drawn, counts)


def _by_group(z: np.ndarray, labeled: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Standardized mean ranks of groups, and a mask of labeled groups."""
    _, number = np.unique(groups, return_inverse=True)
    count = np.bincount(number)
    means = np.zeros((len(count), z.shape[1]))
    np.add.at(means, number, z)
    means /= count[:, None]
    means -= means.mean(axis=0)
    spread = means.std(axis=0)
    return means / np.where(spread > 0, spread, 1.0), np.bincount(number, weights=labeled) * 2 > count


def standardized_ranks(rows: np.ndarray) -> np.ndarray:
    """Mid-ranks of each column, with mean 0 and variance 1; zeros if a column is constant."""
    ranks = rankdata(rows, axis=0)
    ranks -= ranks.mean(axis=0)
    spread = ranks.std(axis=0)
    return ranks / np.where(spread > 0, spread, 1.0)


def rank_sums(z: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Rank sums of labeled rows, with variance 1 over all permutations; shape (n_labelings, n_features)."""
    n, n_p = len(z), int(labels[0].sum())
    return labels.astype(np.float64) @ z / np.sqrt(n_p * (n - n_p) / max(n - 1, 1))


def _batches(n: int) -> list[int]:
    return [min(_AT_ONCE, n - first) for first in range(0, n, _AT_ONCE)]


def _drawn_maxima(z: np.ndarray, labeled: np.ndarray, n: int, rng: np.random.RandomState) -> np.ndarray:
    """Draw ``n`` permutations of the labels, and return their statistics."""
    permuted = np.stack([rng.permutation(labeled) for _ in range(n)])
    return np.abs(rank_sums(z, permuted)).max(axis=1)
