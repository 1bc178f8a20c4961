"""Minibatches of labeled positives and unlabeled rows, drawn with NumPy so that they are the same on every device."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pulib._weights import ones_for_none


@dataclass(frozen=True)
class Epoch:
    """The rows of one epoch, batch after batch."""

    rows: np.ndarray
    is_positive: np.ndarray
    bounds: list[tuple[int, int]]  # (start, stop) of each batch


class BatchSampler:
    """Draw the batches of each epoch, of at least two rows, from P and U; a row may be in both.

    With "proportional" mixing, each batch holds P and U in their overall proportion, at least one of each.  P is repeated if
    there are fewer positives than batches.  A batch may exceed ``batch_size`` by one row, because P and U are cut separately,
    and by many rows if there are fewer unlabeled rows than batches, because each batch needs one.

    With "random" mixing, batches are cut from a shuffle of P and U together.  The last batch has the remaining rows; a single
    remaining row joins the batch before it.
    """

    def __init__(self, positive: np.ndarray, unlabeled: np.ndarray, batch_size: int, mixing: str, rng: np.random.Generator):
        self.positive = positive
        self.unlabeled = unlabeled
        self.batch_size = batch_size
        self.mixing = mixing
        self.rng = rng

    def epoch(self) -> Epoch:
        """Draw the next epoch."""
        return self._proportional() if self.mixing == "proportional" else self._random()

    def _proportional(self) -> Epoch:
        n_p, n_u = len(self.positive), len(self.unlabeled)
        n_batches = min(-(-(n_p + n_u) // max(self.batch_size, 2)), n_u)
        p_cuts, u_cuts = even_cuts(max(n_p, n_batches), n_batches), even_cuts(n_u, n_batches)
        passes = [self.rng.permutation(self.positive) for _ in range(-(-int(p_cuts[-1]) // n_p))]
        positive, unlabeled = np.concatenate(passes), self.rng.permutation(self.unlabeled)
        rows = np.empty(int(p_cuts[-1]) + n_u, dtype=np.int64)
        is_positive = np.zeros(len(rows), dtype=bool)
        bounds = []
        for k in range(n_batches):
            start, stop = int(p_cuts[k] + u_cuts[k]), int(p_cuts[k + 1] + u_cuts[k + 1])
            middle = start + int(p_cuts[k + 1] - p_cuts[k])
            rows[start:middle] = positive[p_cuts[k] : p_cuts[k + 1]]
            rows[middle:stop] = unlabeled[u_cuts[k] : u_cuts[k + 1]]
            is_positive[start:middle] = True
            bounds.append((start, stop))
        return Epoch(rows, is_positive, bounds)

    def _random(self) -> Epoch:
        n_p = len(self.positive)
        order = self.rng.permutation(n_p + len(self.unlabeled))
        rows = np.concatenate([self.positive, self.unlabeled])[order]
        size = max(self.batch_size, 2)
        starts = list(range(0, len(rows), size))
        if len(starts) > 1 and len(rows) - starts[-1] < 2:  # a batch norm needs two rows
            starts.pop()
        stops = [*starts[1:], len(rows)]
        return Epoch(rows, order < n_p, list(zip(starts, stops, strict=True)))


def even_cuts(n: int, parts: int) -> np.ndarray:
    """Bounds of ``parts`` runs of n items, whose lengths differ by at most one.

    >>> even_cuts(7, 3).tolist()
    [0, 2, 4, 7]
    """
    return np.arange(parts + 1) * n // parts


def batch_weights(is_positive: np.ndarray, prior: float) -> tuple[np.ndarray, np.ndarray]:
    """Weights π/n_p of a batch's labeled rows and 1/n_u of its unlabeled rows; a count of 0 is replaced by 1.

    >>> batch_weights(np.array([True, False, False]), 0.4)[1].tolist()
    [0.0, 0.5, 0.5]
    """
    n_p = int(is_positive.sum())
    positive = np.where(is_positive, prior / max(n_p, 1), 0.0)
    unlabeled = np.where(is_positive, 0.0, 1.0 / max(len(is_positive) - n_p, 1))
    return positive.astype(np.float32), unlabeled.astype(np.float32)


def lowest(scores: np.ndarray, rows: np.ndarray, share: float, weights: np.ndarray | None = None) -> np.ndarray:
    """Return the lowest-scoring rows that make up a share of the total weight, at least one, in their original order.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.neural._batches import lowest
    >>> lowest(np.array([3.0, 9.0, 1.0, 2.0]), np.array([0, 2, 3]), 0.7)
    array([2, 3])
    """
    order = np.argsort(scores[rows], kind="stable")
    reached = np.cumsum(ones_for_none(weights, len(scores))[rows][order])
    n = max(1, int(np.count_nonzero(reached <= share * reached[-1] * (1.0 + 1e-12))))
    return rows[np.sort(order[:n])]
