"""The share of positives by subtype: where labels are at random within subtypes of positives, but not between them."""

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
#: Dimensions in which to cluster.
_COORDINATES = 10
#: Wider sparse matrices are folded to so many columns, as texts are: the directions are as long as there are columns.
_MOST_COLUMNS = 1 << 16
#: Of the randomized SVD; as many as scikit-learn takes where coordinates are not few. Clusters need no exact directions.
_POWER_ITERATIONS = 4


@dataclass(frozen=True)
class Subtypes:
    """Best bin in each cell of the nearest subtype, added up.

    Labeled rows are clustered, and every row belongs to the nearest cluster.  If labels are at random within a cell, the share
    of positives among its unlabeled rows is at most q_U(c) / q_P(c) there, for every threshold c of the scores.  The shares of
    the cells, weighted by their unlabeled rows, add up.  A cell has few labels, so that its best bin lies low and its share
    comes out too great where classes overlap: more so the fewer positives there are.  ``independent`` is as of
    :class:`BestBin`.
    """

    scores: np.ndarray
    positive: np.ndarray
    cells: np.ndarray
    independent: tuple[float, float] = (1.0, 1.0)

    def share(self, weights: np.ndarray) -> float:
        """The share of positives among the unlabeled rows, when row i counts ``weights[i]`` times."""
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
        """Best bin on all rows together."""
        return BestBin(self.scores, self.positive, independent=self.independent)


def cells_of(X: Any, positive: np.ndarray, random_state: int, weights: np.ndarray | None = None) -> np.ndarray:
    """The nearest of some clusters of the labeled rows, of each row."""
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
    """Rows in a few directions: of columns of unit variance, or, of texts and sparse matrices, of rows of unit length."""
    if not sparse.issparse(X) and columns_of(X) is None:
        X = HashingVectorizer(n_features=_MOST_COLUMNS, alternate_sign=False).transform([str(text) for text in X])
    rows: Any = normalize(_folded(X)) if sparse.issparse(X) else _unit_variance(comparable(X, np.arange(_num_samples(X))).rows)
    if min(rows.shape) <= _COORDINATES:
        return rows.toarray() if sparse.issparse(rows) else rows
    left, length, _ = randomized_svd(rows, _COORDINATES, n_iter=_POWER_ITERATIONS, random_state=random_state)
    return np.round(left * length, 6)  # equal rows have equal places


def _folded(X: Any) -> Any:
    """A sparse matrix with columns that are added to others where there are many."""
    if X.shape[1] <= _MOST_COLUMNS:
        return X
    rows = sparse.csr_array(X)
    folded = sparse.csr_array(
        (rows.data.copy(), rows.indices % _MOST_COLUMNS, rows.indptr.copy()), shape=(X.shape[0], _MOST_COLUMNS)
    )
    folded.sum_duplicates()  # lengths are those of sums
    return folded


def _unit_variance(rows: np.ndarray) -> np.ndarray:
    greatest = np.abs([rows.min(axis=0), rows.max(axis=0)], dtype=np.float64).max(axis=0)
    rows = rows / np.where(greatest > 0, greatest, 1.0)  # squares of huge values would overflow
    rows -= rows.mean(axis=0)
    spread = np.sqrt(np.einsum("ij,ij->j", rows, rows) / len(rows))
    rows /= np.where(spread > 0, spread, 1.0)
    return rows
