"""TIcE: estimate the label frequency by decision tree induction (Bekker and Davis 2018).

The constants are those of the authors' program ``tice.py``: five folds, k = 5 in the split criterion, at most 500 splits, parts
of at least ten rows, two rounds, and δ = max(0.025, 1 / (1 + 0.004 T)).  That program cuts every feature, scaled to [0, 1],
into four equal widths, uses a feature once on a path, and expands nodes by their lower bound.  Here splits are binary, at one
of 31 quantiles, and nodes are expanded by the split criterion, so that features of any distribution can be split.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from scipy import sparse

from pulib._equal_rows import row_groups
from pulib._priors._from_scores import share_from_label_frequency
from pulib._priors._scores import assign_folds
from pulib._weights import ones_for_none

_BINS = 32
#: Maximum splits per tree, and k of the paper's split criterion, the larger of the children's L / (T + k).
_MAX_SPLITS, _BEPP = 500, 5.0
#: Minimum rows of a part, and number of rounds, the first of which assumes c = 1/2 for the deviation.
_MIN_ROWS, _ROUNDS = 10, 2


@dataclass(frozen=True)
class _FoldTree:
    """The subdomains found by one fold's tree: ``members`` has the rows of the other folds in each."""

    rows: np.ndarray
    members: sparse.csr_array


@dataclass(frozen=True)
class TIcE:
    """The largest lower bound of the label frequency over subdomains, as an estimate of it.

    In any part of the space, the share of labeled rows is at most c, the probability that a positive is labeled; it equals c if
    all rows there are positive.  A tree that searches for such parts is grown on one fold, and the other folds bound c in each
    part by the one-sided Chebyshev inequality: c ≥ L/T − sqrt(c (1 − c) (1 − δ) / (δ T)), with c on the right from the previous
    round.  With few rows, δ is large, many small parts are compared, and the largest bound overshoots c.

    The bound is sqrt((1 − δ)/δ) standard errors of L/T below c: 6.2 of them if T exceeds 9,750 rows, so that the share of
    positives is overestimated by design even if a part is pure.
    """

    positive: np.ndarray
    trees: list[_FoldTree]

    def share(self, weights: np.ndarray) -> float:
        """Share of positives among the unlabeled rows if row i counts ``weights[i]`` times."""
        n_labeled, n_unlabeled = weights[self.positive].sum(), weights[~self.positive].sum()
        c = 0.5
        # c is at least the overall share of labeled rows
        least = n_labeled / (n_labeled + n_unlabeled)
        for _ in range(_ROUNDS):
            c = min(max(float(np.mean([self._largest_bound(tree, weights, c) for tree in self.trees])), least), 1.0)
        return share_from_label_frequency(c, n_labeled, n_unlabeled)

    def _largest_bound(self, tree: _FoldTree, weights: np.ndarray, c: float) -> float:
        """Return the largest lower bound of c over the parts of a tree."""
        w = weights[tree.rows].astype(np.float64)
        total = tree.members @ w
        labeled = tree.members @ (w * self.positive[tree.rows])
        delta = max(0.025, 1.0 / (1.0 + 0.004 * w.sum()))
        enough = total >= _MIN_ROWS
        if not np.any(enough):
            return 0.0
        total, labeled = total[enough], labeled[enough]
        return float(np.max(labeled / total - np.sqrt(c * (1.0 - c) * (1.0 - delta) / (delta * total))))


def build_tice(
    X: Any,
    positive: np.ndarray,
    *,
    folds: int | np.ndarray,
    random_state: int,
    groups: np.ndarray | None = None,
    weights: np.ndarray | None = None,
) -> TIcE:
    """Grow one tree per fold.

    Rows of a group, or equal rows if there are no groups, share a fold.  ``weights`` apply in the split criterion.
    """
    X = X.toarray() if sparse.issparse(X) else np.asarray(X)
    rng = np.random.RandomState(random_state)
    fold = assign_folds(row_groups(X) if groups is None else groups, positive, folds, rng)
    codes = _quantile_codes(X)
    trees = []
    for k in np.unique(fold):
        inside, outside = np.flatnonzero(fold == k), np.flatnonzero(fold != k)
        parts = _grow(codes, positive, ones_for_none(weights, len(fold)), inside, outside)
        lengths = [len(part) for part in parts]
        place = np.full(len(fold), -1)
        place[outside] = np.arange(len(outside))
        members = sparse.csr_array(
            (np.ones(sum(lengths)), place[np.concatenate(parts)], np.concatenate([[0], np.cumsum(lengths)])),
            shape=(len(parts), len(outside)),
        )
        trees.append(_FoldTree(outside, members))
    return TIcE(positive, trees)


def _quantile_codes(X: np.ndarray) -> np.ndarray:
    """Replace each value with the number of its feature's quantiles below it: 0.._BINS - 1."""
    codes = np.empty(X.shape, dtype=np.uint8)
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])
        if len(values) > _BINS:
            values = np.unique(np.quantile(X[:, j], np.linspace(0, 1, _BINS + 1)[1:-1]))
            codes[:, j] = np.searchsorted(values, X[:, j], side="left")
        else:
            codes[:, j] = np.searchsorted(values, X[:, j])
    return codes


def _grow(
    codes: np.ndarray, positive: np.ndarray, weights: np.ndarray, inside: np.ndarray, outside: np.ndarray
) -> list[np.ndarray]:
    """Grow a tree best-first on the rows ``inside``, and return the rows ``outside`` of each node, the root first."""
    order = count()
    queue = [(0.0, next(order), inside, outside)]
    parts = [outside]
    for _ in range(_MAX_SPLITS):
        if not queue:
            break
        _, _, rows, others = heapq.heappop(queue)
        split = _best_split(codes[rows], positive[rows], weights[rows])
        if split is None:
            continue
        feature, threshold = split
        for side in (True, False):
            child = rows[(codes[rows, feature] <= threshold) == side]
            child_others = others[(codes[others, feature] <= threshold) == side]
            parts.append(child_others)
            if len(child_others) and 0 < np.count_nonzero(positive[child]) < len(child):
                labeled, total = weights[child[positive[child]]].sum(), weights[child].sum()
                heapq.heappush(queue, (-labeled / (total + _BEPP), next(order), child, child_others))
    return parts


def _best_split(codes: np.ndarray, positive: np.ndarray, weights: np.ndarray) -> tuple[int, int] | None:
    """Return the feature and the last code on the left with the largest max-bepp; None if no split is possible."""
    d = codes.shape[1]
    flat = (codes + np.arange(d, dtype=np.intp) * _BINS).ravel()
    count = np.cumsum(np.bincount(flat, minlength=d * _BINS).reshape(d, _BINS), axis=1)
    total, labeled = (
        np.cumsum(np.bincount(flat, weights=np.repeat(w, d), minlength=d * _BINS).reshape(d, _BINS), axis=1)
        for w in (weights, weights * positive)
    )
    left, left_labeled = total[:, :-1], labeled[:, :-1]
    right, right_labeled = total[:, -1:] - left, labeled[:, -1:] - left_labeled
    score = np.maximum(left_labeled / (left + _BEPP), right_labeled / (right + _BEPP))
    score[(count[:, :-1] == 0) | (count[:, :-1] == len(codes))] = -1.0
    best = int(np.argmax(score))
    feature, threshold = divmod(best, _BINS - 1)
    return (feature, threshold) if score[feature, threshold] >= 0 else None
