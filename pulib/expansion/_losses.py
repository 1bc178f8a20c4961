"""The two smooth losses of the paper, eq. 4 and 5, with gradients and Hessian products, each on its own rows."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse
from scipy.special import expit

from pulib.expansion._ranked_pairs import RankedRows


@dataclass(frozen=True)
class RankedLoss:
    """One minus the mean of ``sigmoid(f_a - f_b)`` over the pairs in which a is ranked above b."""

    rows: RankedRows
    n_pairs: float  # divisor of the sum; undecided pairs count one half each
    repeats: int  # how often the sum counts each decided pair: once or twice
    method: str = "auto"
    n_jobs: int = 1

    @classmethod
    def auc(cls, positive: np.ndarray, method: str = "auto", n_jobs: int = 1) -> RankedLoss:
        """Eq. 4: pairs of positives and negatives, each once."""
        rows = RankedRows(np.asarray(positive, dtype=np.float64))
        return cls(rows, rows.n_decided, 1, method, n_jobs)

    @classmethod
    def preference(cls, scores: np.ndarray, method: str = "auto", n_jobs: int = 1) -> RankedLoss:
        """Eq. 5 with ``k(a, b) = sign(s_a - s_b)``: every pair in both orders, and each row with itself."""
        return cls(RankedRows(scores), float(len(scores)) ** 2, 2, method, n_jobs)

    def __len__(self) -> int:
        return len(self.rows)

    def value(self, f: np.ndarray) -> float:
        """The loss at scores ``f`` of shape (n,)."""
        before, _ = self.rows.sums(f, np.ones((len(f), 1)), 0, self.method, self.n_jobs)
        undecided = self.n_pairs - self.repeats * self.rows.n_decided
        return 1.0 - (self.repeats * float(before.sum()) + 0.5 * undecided) / self.n_pairs

    def gradient(self, f: np.ndarray) -> np.ndarray:
        """The gradient at ``f``: minus the residuals of eq. 6 to 8."""
        before, after = self.rows.sums(f, np.ones((len(f), 1)), 1, self.method, self.n_jobs)
        return (after - before)[:, 0] * (self.repeats / self.n_pairs)

    def hessian_product(self, f: np.ndarray, V: np.ndarray) -> np.ndarray:
        """Its Hessian times the columns of ``V``, shape (n, q)."""
        weights = np.column_stack([np.ones(len(f)), V])
        before, after = self.rows.sums(f, weights, 2, self.method, self.n_jobs)
        signed = after - before
        return (V * signed[:, :1] - signed[:, 1:]) * (self.repeats / self.n_pairs)


@dataclass(frozen=True)
class ListedLoss:
    """Eq. 5 for listed pairs, in O(pairs) time and memory."""

    above: np.ndarray  # row above[p] is preferred to row below[p]
    below: np.ndarray
    n: int  # rows
    scale: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", 2.0 / float(self.n) ** 2)

    @classmethod
    def from_matrix(cls, pairs: sparse.sparray) -> ListedLoss:
        """Create the loss from an antisymmetric sparse matrix of signs."""
        coo = sparse.coo_array(pairs)
        keep = coo.data > 0
        return cls(coo.row[keep].astype(np.intp), coo.col[keep].astype(np.intp), pairs.shape[0])

    def __len__(self) -> int:
        return self.n

    def value(self, f: np.ndarray) -> float:
        """The loss at scores ``f`` of shape (n,)."""
        decided = float(expit(f[self.above] - f[self.below]).sum())
        return 1.0 - self.scale * (decided + 0.5 * (0.5 * float(self.n) ** 2 - len(self.above)))

    def gradient(self, f: np.ndarray) -> np.ndarray:
        """The gradient at ``f``: minus the residuals of eq. 8."""
        x = f[self.above] - f[self.below]
        return self._scatter(expit(x) * expit(-x))

    def hessian_product(self, f: np.ndarray, V: np.ndarray) -> np.ndarray:
        """Its Hessian times the columns of ``V``, shape (n, q)."""
        x = f[self.above] - f[self.below]
        second = expit(x) * expit(-x) * (expit(-x) - expit(x))
        return np.column_stack([self._scatter(second * (v[self.above] - v[self.below])) for v in V.T])

    def _scatter(self, values: np.ndarray) -> np.ndarray:
        up = np.bincount(self.above, values, minlength=self.n)
        return (np.bincount(self.below, values, minlength=self.n) - up) * self.scale
