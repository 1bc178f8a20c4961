"""Held-out scores of labeled against unlabeled rows by extra trees, the default classifier.

The trees are those of :class:`pulib.PUExtraTreesClassifier` with ``risk="pn"``.  A row's score is the mean share of labeled
rows in its leaves, over the trees that were grown without it.

Bounded by growing the trees: by default, 160 trees on four fifths of at most 10,000 rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy import sparse

from pulib._compiled import frozen
from pulib._missing import holds_missing
from pulib._random import draw_seeds
from pulib._trees._data import Data, prepare_data, without_booleans
from pulib._trees._grow import RANDOM, Rule
from pulib._trees._growing import grow_many
from pulib._trees._predict import pack, send_down
from pulib._trees._risks import LOSSES, RISKS
from pulib._trees._rows import Rows
from pulib._trees._sparse import dense_parts, prepare_sparse, select_columns

#: The number of trees per fold is _ROWS divided by the number of rows, within limits.
_ROWS, _LEAST_TREES, _MOST_TREES = 96_000, 16, 32
#: With more rows than this (only rare positives need so many), half of the minimum number of trees suffices.
_MANY_ROWS = 20_000
#: Number of random partitions into folds.
N_PARTITIONS = 2
#: Nodes of at most this many rows are leaves: shares are stable, and trees grow quickly.
_LEAF = 30
#: Minimum number of features tried at a node (or their square root): a poor split of two clear groups blurs the scores of both.
_FEATURES = 32
_NO_LIMIT = 2**31 - 1


def forest_scores(
    X: Any,
    positive: np.ndarray,
    folds: list[np.ndarray],
    *,
    random_state: np.random.RandomState,
    n_jobs: int | None,
    balanced: bool,
    rows_of_a_group: float = 1.0,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Score each row by the share of labeled rows in its leaves, over trees that were grown without it.

    If a fold leaves only one kind of rows for training, its rows are scored by the overall share of labeled rows.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_samples, n_features)
    positive : bool array of shape (n_samples,)
    folds : list of int arrays of shape (n_samples,)
        For each partition, the fold of every row.
    random_state : RandomState
    n_jobs : int or None
        Number of threads; it does not change the scores.
    balanced : bool
        Whether labeled and unlabeled rows have half of the total weight each, or all rows have equal weight.
    rows_of_a_group : float
        Average number of rows per group, by which the size of leaves is multiplied.
    weights : float array of shape (n_samples,), optional
        Each tree draws its rows in proportion to them.
    """
    rows = X if sparse.issparse(X) else np.ascontiguousarray(without_booleans(X))
    if rows.dtype not in (np.uint8, np.float32):
        rows = rows.astype(np.float64, copy=False)
    missing = holds_missing(rows, None)
    data = prepare_sparse(rows, missing=missing) if sparse.issparse(X) else prepare_data(rows, holds_missing=missing)
    scores = np.full((len(folds), len(positive)), float(np.mean(positive)))
    leaf = max(1, min(round(_LEAF * rows_of_a_group), len(positive) // 10))
    least = _LEAST_TREES // 2 if len(positive) > _MANY_ROWS else _LEAST_TREES
    n_trees = int(np.clip(_ROWS // len(positive), least, _MOST_TREES))
    tasks: list[tuple[Any, ...]] = []
    places = []
    for partition, fold in enumerate(folds):
        for k in np.unique(fold):
            held_out, labeled, unlabeled = fold == k, positive & (fold != k), ~positive & (fold != k)
            seeds = draw_seeds(random_state, n_trees)
            if labeled.any() and unlabeled.any():
                sides = [np.flatnonzero(side).astype(np.uint32) for side in (labeled, unlabeled)]
                drawn_from = Rows(sides[0], sides[1], weights)
                tasks.append((data, rows, missing, np.flatnonzero(held_out), drawn_from, seeds, balanced, leaf))
                places.append((partition, held_out))
    if effective_n_jobs(n_jobs) == 1:
        parts = [_score_fold(*task) for task in tasks]
    else:
        parts = Parallel(n_jobs=n_jobs, require="sharedmem")(delayed(_score_fold)(*task) for task in tasks)
    for place, part in zip(places, parts, strict=True):
        scores[place] = part
    return scores.mean(axis=0)


def _score_fold(
    data: Data, X: Any, missing: bool, held_out: np.ndarray, drawn_from: Rows, seeds: np.ndarray, balanced: bool, leaf: int
) -> np.ndarray:
    """Grow the trees of a fold, and return the mean share of labeled rows in the leaves of held-out rows."""
    labeled, unlabeled, weights = drawn_from[:3]
    weight = len(unlabeled) / len(labeled) if balanced else 1.0
    if weights is not None and not balanced:  # bootstrap samples keep the numbers of rows of each kind
        weight = float(weights[labeled].mean() / weights[unlabeled].mean())
    trees = grow_many(data, _rule(weight, X.shape[1], leaf), drawn_from, seeds, bootstrap=weights is not None)
    leaves = np.empty((len(held_out), len(trees)), np.int32)
    asked, columns = select_columns(X[held_out], trees)
    nodes = pack(trees, X.dtype, columns)
    for part, rows in dense_parts(asked):
        send_down(nodes, frozen(rows), 0, len(rows), leaves[part], missing)
    total = np.zeros(len(held_out))
    for tree, own in zip(trees, leaves.T, strict=True):
        weighted = weight * tree.n_labeled
        total += (weighted / (weighted + tree.n_unlabeled))[own]
    return total / len(trees)


def _rule(weight: float, n_features: int, leaf: int) -> Rule:
    """Return the rule for labeled rows of a given weight against unlabeled rows of weight 1."""
    return Rule(
        risk=RISKS.index("pn"),
        loss=LOSSES.index("quadratic"),
        weight_positive=weight,
        weight_joined=weight,
        weight_unit=1.0,
        splitter=RANDOM,
        n_candidates=min(n_features, max(_FEATURES, int(np.sqrt(n_features)))),
        n_thresholds=1,
        inner_thresholds=0,
        max_depth=_NO_LIMIT,
        min_samples_leaf=leaf,
    )
