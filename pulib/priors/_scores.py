"""Out-of-sample scores of "labeled or not", for the methods that look at the data through a classifier."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import get_tags


def row_groups(X: Any) -> np.ndarray:
    """The same number for equal rows, since a labeled row may occur among the unlabeled ones too.

    The numbers are the same for dense and sparse rows, and with them the folds.
    """
    if sparse.issparse(X):
        keys = _sparse_keys(X)
        number = {key: n for n, key in enumerate(sorted(set(keys)))}
        return np.array([number[key] for key in keys], dtype=np.intp)
    rows = np.ascontiguousarray(X) + 0  # -0.0 becomes 0.0
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    return np.unique(keys, return_inverse=True)[1].ravel()


def _sparse_keys(X: Any) -> list[bytes]:
    """Of each row its columns and values, in bytes whose order is that of the dense rows' bytes.

    Where two rows first differ, the one with an entry comes after the one that has zero there: hence columns counted from the
    end.
    """
    rows = sparse.csr_matrix(X, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    entries = np.empty(rows.nnz, dtype=[("column", ">i8"), ("value", rows.dtype)])
    entries["column"] = rows.shape[1] - 1 - rows.indices.astype(np.int64)
    entries["value"] = rows.data
    return [entries[start:stop].tobytes() for start, stop in pairwise(rows.indptr)]


def assign_folds(groups: np.ndarray, positive: np.ndarray, n_folds: int, rng: np.random.RandomState) -> np.ndarray:
    """A fold per row: equal rows share one, and the groups that hold a labeled row are spread evenly."""
    n_groups = int(groups.max()) + 1
    holds_positive = np.zeros(n_groups, dtype=bool)
    holds_positive[groups[positive]] = True
    fold_of_group = np.empty(n_groups, dtype=np.intp)
    start = 0
    for members in (np.flatnonzero(holds_positive), np.flatnonzero(~holds_positive)):
        fold_of_group[rng.permutation(members)] = (start + np.arange(len(members))) % n_folds
        start += len(members)
    return fold_of_group[groups]


def out_of_fold_scores(
    X: Any,
    positive: np.ndarray,
    *,
    classifier: Any,
    n_folds: int,
    random_state: int,
    n_jobs: int | None,
    balanced: bool,
    probabilities: bool,
) -> np.ndarray:
    """Each row's score by a classifier that was trained without it (nor a row equal to it).

    Folds that leave one class only to train on, as tiny data may, score their rows by the share of labeled rows.  Where the
    scores have to be ``probabilities``, a classifier without any raises a ValueError.  ``classifier=None`` means extra trees,
    on ``balanced`` kinds of rows where asked for.
    """
    rng = np.random.RandomState(random_state)
    n_folds = max(2, min(n_folds, int(positive.sum()), int((~positive).sum())))
    groups = row_groups(X)
    if classifier is None:
        from pulib.priors._forest import N_PARTITIONS, forest_scores  # compiled code, which no other method needs

        partitions = [assign_folds(groups, positive, n_folds, rng) for _ in range(N_PARTITIONS)]
        return forest_scores(X, positive, partitions, random_state=rng, n_jobs=n_jobs, balanced=balanced)
    folds = assign_folds(groups, positive, n_folds, rng)
    scores = np.full(len(positive), float(np.mean(positive)))
    for k in range(n_folds):
        train, held_out = np.flatnonzero(folds != k), np.flatnonzero(folds == k)
        if len(held_out) == 0 or len(np.unique(positive[train])) < 2:
            continue
        fitted = clone(classifier).fit(X[train], positive[train].astype(np.intp))
        if hasattr(fitted, "predict_proba"):
            scores[held_out] = fitted.predict_proba(X[held_out])[:, 1]
        elif probabilities:
            raise ValueError(
                f"classifier={classifier!r} has no predict_proba, and method='elkan_noto' averages probabilities; take one "
                "that has it, such as LogisticRegression, wrap this one in CalibratedClassifierCV, or take method='best_bin'"
            )
        else:
            scores[held_out] = fitted.decision_function(X[held_out])
    return scores


def accepts_sparse(classifier: Any) -> bool:
    """Whether the classifier (None: the default one) takes sparse input."""
    return classifier is None or get_tags(classifier).input_tags.sparse


def accepts_missing(classifier: Any) -> bool:
    """Whether the classifier (None: the default one) takes NaN."""
    return classifier is None or get_tags(classifier).input_tags.allow_nan
