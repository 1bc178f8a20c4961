"""Out-of-fold scores of a classifier of labeled against unlabeled rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from pulib._equal_rows import row_groups
from pulib._priors._forest import N_PARTITIONS, forest_scores
from pulib._priors._linear import linear_classifier, used_columns
from pulib._priors._rows import fit_named
from pulib._weights import fit_weights, of_rows

#: With more columns than this (dense, sparse), the default classifier is linear: trees would be slow, or use too few columns.
_WIDE, _WIDE_SPARSE = 10_000, 1_000


def assign_folds(groups: np.ndarray, positive: np.ndarray, folds: int | np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Assign each group to a fold, spreading groups with labeled rows evenly; return ``folds`` if it is an array."""
    if isinstance(folds, np.ndarray):
        return folds
    n_folds = max(2, min(folds, int(positive.sum()), int((~positive).sum())))
    n_groups = int(groups.max()) + 1
    holds_positive = np.zeros(n_groups, dtype=bool)
    holds_positive[groups[positive]] = True
    fold_of_group = np.empty(n_groups, dtype=np.intp)
    start = 0
    for members in (np.flatnonzero(holds_positive), np.flatnonzero(~holds_positive)):
        fold_of_group[rng.permutation(members)] = (start + np.arange(len(members))) % n_folds
        start += len(members)
    return fold_of_group[groups]


def is_wide(X: Any) -> bool:
    """Whether the default classifier for these rows is a linear model instead of trees.

    With more than 1,000 sparse or 10,000 dense columns, it ranks as well and takes a hundredth of the time.
    """
    return X.shape[1] > (_WIDE_SPARSE if sparse.issparse(X) else _WIDE)


def out_of_fold_scores(
    X: Any,
    positive: np.ndarray,
    *,
    classifier: Any,
    folds: int | np.ndarray,
    random_state: int,
    n_jobs: int | None,
    balanced: bool,
    probabilities: bool,
    groups: np.ndarray | None = None,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Score each row with a classifier that was trained without the row, its group, and rows equal to it.

    If a fold leaves only one class for training (tiny data), its rows are scored by the share of labeled rows.  If
    ``probabilities`` are needed, a classifier without them raises a ValueError.  ``classifier=None`` means extra trees or, with
    many columns, a linear model; ``balanced`` gives both kinds of rows half of the total weight.  ``weights`` are training
    weights.
    """
    rng = np.random.RandomState(random_state)
    rows_of_a_group = 1.0 if groups is None else len(groups) / len(np.unique(groups))
    if groups is None:
        groups = row_groups(X)
    if classifier is None and is_wide(X):
        X = used_columns(X)
        classifier = linear_classifier(X, balanced)
    elif classifier is None:
        n_partitions = 1 if isinstance(folds, np.ndarray) else N_PARTITIONS
        partitions = [assign_folds(groups, positive, folds, rng) for _ in range(n_partitions)]
        return forest_scores(
            X,
            positive,
            partitions,
            random_state=rng,
            n_jobs=n_jobs,
            balanced=balanced,
            rows_of_a_group=rows_of_a_group,
            weights=weights,
        )
    fold = assign_folds(groups, positive, folds, rng)
    scores = np.full(len(positive), float(np.mean(positive)))
    for k in np.unique(fold):
        train, held_out = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        if len(np.unique(positive[train])) < 2:
            continue
        params = fit_weights(classifier, of_rows(weights, train))
        fitted = fit_named(clone(classifier), _safe_indexing(X, train), positive[train].astype(np.intp), **params)
        if hasattr(fitted, "predict_proba"):
            scores[held_out] = fitted.predict_proba(_safe_indexing(X, held_out))[:, 1]
        elif probabilities:
            raise ValueError(
                f"classifier={classifier!r} has no predict_proba, and method='elkan_noto' averages probabilities; use one "
                "that has it, such as LogisticRegression, wrap this one in CalibratedClassifierCV, or use method='best_bin'"
            )
        else:
            scores[held_out] = fitted.decision_function(_safe_indexing(X, held_out))
    return scores
