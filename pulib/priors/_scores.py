"""Out-of-sample scores of "labeled or not", for the methods that look at the data through a classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.utils import get_tags


def default_classifier(n_samples: int, n_features: int, balanced: bool, random_state: int, n_jobs: int | None) -> Any:
    """Extra trees with leaves of several rows: good probabilities from features of any scale, and quick to fit.

    They look at many features per split, since a split of two clear groups at a poor place blurs the probabilities of both.
    """
    return ExtraTreesClassifier(
        n_estimators=20 if n_samples < 500 else 100,
        min_samples_leaf=max(1, min(5, n_samples // 100)),
        max_features=min(n_features, max(32, int(np.sqrt(n_features)))),
        class_weight="balanced" if balanced else None,
        random_state=random_state,
        n_jobs=n_jobs,
    )


def row_groups(X: Any) -> np.ndarray:
    """The same number for equal rows, since a labeled row may occur among the unlabeled ones too."""
    if sparse.issparse(X):
        return np.arange(X.shape[0])
    rows = np.ascontiguousarray(X)
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    return np.unique(keys, return_inverse=True)[1].ravel()


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
) -> np.ndarray:
    """Each row's score by a classifier that was trained without it (nor a row equal to it).

    Folds that leave one class only to train on, as tiny data may, score their rows by the share of labeled rows.
    """
    rng = np.random.RandomState(random_state)
    n_folds = max(2, min(n_folds, int(positive.sum()), int((~positive).sum())))
    folds = assign_folds(row_groups(X), positive, n_folds, rng)
    if classifier is None:
        classifier = default_classifier(len(positive), X.shape[1], balanced, random_state, n_jobs)
    scores = np.full(len(positive), float(np.mean(positive)))
    for k in range(n_folds):
        train, held_out = np.flatnonzero(folds != k), np.flatnonzero(folds == k)
        if len(held_out) == 0 or len(np.unique(positive[train])) < 2:
            continue
        fitted = clone(classifier).fit(X[train], positive[train].astype(np.intp))
        if hasattr(fitted, "predict_proba"):
            scores[held_out] = fitted.predict_proba(X[held_out])[:, 1]
        else:
            scores[held_out] = fitted.decision_function(X[held_out])
    return scores


def accepts_sparse(classifier: Any) -> bool:
    """Whether the classifier (None: the default one) takes sparse input."""
    return classifier is None or get_tags(classifier).input_tags.sparse
