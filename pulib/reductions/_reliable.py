"""Reliable negatives: four ways to find the unlabeled rows that are least like labeled positives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize
from sklearn.utils import _safe_indexing, check_array

#: Share of the labeled rows used as spies, and of the spies that may score below the bound of the negatives (Liu et al.).
SPIES, _LOST_SPIES = 0.15, 0.05
#: Nearest neighbor whose distance counts; and Rocchio's weights of a class's own mean and of the other class's mean.
_NEIGHBORS, _OWN, _OTHER = 5, 16.0, 4.0

Scorer = Callable[[np.ndarray], np.ndarray]


def find_reliable(
    how: str, X: Any, positive: np.ndarray, scores_of: Scorer, share: float, rng: np.random.RandomState
) -> np.ndarray:
    """Return a mask of the unlabeled rows that are reliable negatives by "spy", "quantile", "knn" or "rocchio"; may be empty.

    ``scores_of`` returns held-out scores of all rows by a classifier that separates the given labeled rows from all others.
    ``share`` is the share of the unlabeled rows to take, for "quantile" and "knn".
    """
    if how == "spy":
        return by_spies(positive, scores_of, rng)
    if how == "rocchio":
        return by_prototypes(X, positive)
    return lowest(scores_of(positive) if how == "quantile" else -distances(X, positive), ~positive, share)


def by_spies(positive: np.ndarray, scores_of: Scorer, rng: np.random.RandomState) -> np.ndarray:
    """Find unlabeled rows that score below nearly all spies, labeled rows hidden among them (Liu et al., 2002)."""
    labeled = rng.permutation(np.flatnonzero(positive))
    spies = labeled[: min(max(1, round(SPIES * len(labeled))), len(labeled) - 1)]
    if not len(spies):
        return np.zeros(len(positive), bool)
    labeled = positive.copy()
    labeled[spies] = False
    scores = scores_of(labeled)
    return ~positive & (scores < np.quantile(scores[spies], _LOST_SPIES, method="lower"))


def lowest(scores: np.ndarray, rows: np.ndarray, share: float) -> np.ndarray:
    """Find the ``share`` of ``rows`` with the lowest scores, without those that tie with a higher-ranked row.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.reductions._reliable import lowest
    >>> lowest(np.array([3.0, 1.0, 2.0, 2.0]), np.ones(4, bool), 0.5)
    array([False,  True, False, False])
    """
    ranked = np.sort(scores[rows])
    n = round(share * len(ranked))
    bound = ranked[n] if n < len(ranked) else np.inf
    return rows & (scores < bound)


def all_but_highest(scores: np.ndarray, rows: np.ndarray, share: float, weights: np.ndarray) -> np.ndarray:
    """Find ``rows`` without the ``share`` of their weight that scores highest; rows that tie with a kept row are kept.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.reductions._reliable import all_but_highest
    >>> all_but_highest(np.array([3.0, 1.0, 2.0, 2.0]), np.ones(4, bool), 0.5, np.ones(4))
    array([False,  True,  True,  True])
    """
    order = np.argsort(scores[rows], kind="stable")
    own = weights[rows][order]
    n = int(np.count_nonzero(np.cumsum(own) - own / 2.0 <= (1.0 - share) * own.sum()))  # keeps the weight nearest to 1 - share
    return rows & (scores <= scores[rows][order][max(n, 1) - 1])


def distances(X: Any, positive: np.ndarray) -> np.ndarray:
    """Distance of each row to its fifth nearest labeled row, or to the farthest one if there are fewer."""
    X = check_array(X, accept_sparse="csr")
    labeled = _safe_indexing(X, np.flatnonzero(positive))
    nearest = NearestNeighbors(n_neighbors=min(_NEIGHBORS, int(positive.sum()))).fit(labeled)
    return nearest.kneighbors(X)[0][:, -1]


def by_prototypes(X: Any, positive: np.ndarray) -> np.ndarray:
    """Find unlabeled rows whose direction is nearer to the unlabeled than to the labeled prototype (Rocchio)."""
    X = normalize(check_array(X, accept_sparse="csr"))
    means = [np.asarray(_safe_indexing(X, np.flatnonzero(side)).mean(axis=0)).ravel() for side in (positive, ~positive)]
    prototypes = np.array([_OWN * means[0] - _OTHER * means[1], _OWN * means[1] - _OTHER * means[0]])
    near = cosine_similarity(X, prototypes)
    return ~positive & (near[:, 1] > near[:, 0])
