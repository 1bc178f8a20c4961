"""The share of positives by subtype, for labels that are at random within subtypes of positives but not between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import randomized_svd
from sklearn.utils.validation import _num_samples

from pulib._columns import columns_of
from pulib._priors._columns import comparable
from pulib._priors._from_scores import BestBin
from pulib._weights import of_rows

#: Average number of labeled rows per subtype, and the maximum number of subtypes.
_ROWS_OF_A_SUBTYPE, _MOST_SUBTYPES = 30, 8
#: Number of dimensions for clustering.
_COORDINATES = 10
#: Texts are hashed, and wider sparse matrices folded, to this many columns, because the SVD's vectors have one element per
#: column.
_MOST_COLUMNS = 1 << 16
#: Iterations of the randomized SVD: scikit-learn's default for more coordinates; clusters need no exact directions.
_POWER_ITERATIONS = 4


@dataclass(frozen=True)
class Subtypes:
    """Sum of best bin's estimates in cells, one for each cluster of labeled rows.

    Each row belongs to the cell of the nearest cluster.  If labels are at random within a cell, the share of positives among
    its unlabeled rows is at most q_U(c) / q_P(c) for every threshold c.  The estimate is the mean share of the cells, weighted
    by their unlabeled rows.  If classes overlap, it is too high, because cells have few labels and choose low thresholds; the
    rarer the positives, the higher.  ``independent`` is as for :class:`BestBin`.
    """

    scores: np.ndarray
    positive: np.ndarray
    cells: np.ndarray
    independent: tuple[float, float] = (1.0, 1.0)

    def share(self, weights: np.ndarray) -> float:
        """Share of positives among the unlabeled rows if row i counts ``weights[i]`` times."""
        total = 0.0
        for cell in np.unique(self.cells):
            rows = self.cells == cell
            positive, own = self.positive[rows], weights[rows]
            n_labeled, n_unlabeled = own[positive].sum(), own[~positive].sum()
            if n_labeled > 0 and n_unlabeled > 0:
                best = BestBin(self.scores[rows], positive, independent=self.independent)
                total += n_unlabeled * min(best.share(own), 1.0)
        return float(total / weights[~self.positive].sum())

    def without_cells(self) -> BestBin:
        """Return best bin on all rows together."""
        return BestBin(self.scores, self.positive, independent=self.independent)


def cells_of(X: Any, positive: np.ndarray, random_state: int, weights: np.ndarray | None = None) -> np.ndarray:
    """Cluster the labeled rows, and return the nearest cluster of each row."""
    n_cells = int(np.clip(positive.sum() // _ROWS_OF_A_SUBTYPE, 1, _MOST_SUBTYPES))
    places = _coordinates(X, random_state) if n_cells > 1 else np.zeros((len(positive), 1))
    n_cells = min(n_cells, len(np.unique(places[positive], axis=0)))
    if n_cells == 1:
        return np.zeros(len(positive), dtype=np.intp)
    clusters = KMeans(n_cells, n_init=3, random_state=random_state).fit(
        places[positive], sample_weight=of_rows(weights, positive)
    )
    return clusters.predict(places)


def _coordinates(X: Any, random_state: int) -> np.ndarray:
    """Project rows on a few directions, after scaling dense columns to unit variance, or sparse rows to unit length."""
    if not sparse.issparse(X) and columns_of(X) is None:
        X = HashingVectorizer(n_features=_MOST_COLUMNS, alternate_sign=False).transform([str(text) for text in X])
    rows: Any = normalize(_folded(X)) if sparse.issparse(X) else _unit_variance(comparable(X, np.arange(_num_samples(X))).rows)
    if min(rows.shape) <= _COORDINATES:
        return rows.toarray() if sparse.issparse(rows) else rows
    left, length, _ = randomized_svd(rows, _COORDINATES, n_iter=_POWER_ITERATIONS, random_state=random_state)
    return np.round(left * length, 6)  # so that equal rows have equal coordinates


def _folded(X: Any) -> Any:
    """Reduce the columns of a wide sparse matrix by adding them up modulo ``_MOST_COLUMNS``."""
    if X.shape[1] <= _MOST_COLUMNS:
        return X
    rows = sparse.csr_array(X)
    folded = sparse.csr_array(
        (rows.data.copy(), rows.indices % _MOST_COLUMNS, rows.indptr.copy()), shape=(X.shape[0], _MOST_COLUMNS)
    )
    folded.sum_duplicates()  # rows are scaled by the length of the sums
    return folded


def _unit_variance(rows: np.ndarray) -> np.ndarray:
    greatest = np.abs([rows.min(axis=0), rows.max(axis=0)], dtype=np.float64).max(axis=0)
    rows = rows / np.where(greatest > 0, greatest, 1.0)  # squares of huge values would overflow
    rows -= rows.mean(axis=0)
    spread = np.sqrt(np.einsum("ij,ij->j", rows, rows) / len(rows))
    rows /= np.where(spread > 0, spread, 1.0)
    return rows
