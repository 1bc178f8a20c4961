"""Folds for held-out rows: whole groups, with labeled rows in each fold, or the folds of any splitter."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils.validation import _num_samples

from pulib._equal_rows import folds_of_units, in_order_of_occurrence
from pulib._weights import of_rows

N_FOLDS = 5


def deal_groups(codes: np.ndarray, positive: np.ndarray, n_folds: int, rng: np.random.RandomState) -> np.ndarray:
    """Return the fold of each row: whole groups, with labeled and unlabeled rows spread as evenly as possible.

    Groups (codes 0, 1, ...) are dealt out largest first.  Groups with labeled rows come first, each to the fold with the fewest
    labeled rows; then the others, each to the fold with the fewest unlabeled rows.  ``rng`` orders groups of equal size.
    """
    labeled, unlabeled = (np.bincount(codes, rows, minlength=int(codes.max()) + 1) for rows in (positive, ~positive))
    order = rng.permutation(len(labeled))
    order = order[np.lexsort((-unlabeled[order], -labeled[order]))]  # the largest first
    of_group, totals = np.zeros(len(labeled), dtype=np.intp), np.zeros((2, n_folds))
    for group in order:
        kinds = totals if labeled[group] else totals[::-1]
        of_group[group] = chosen = np.lexsort(kinds[::-1])[0]
        totals[:, chosen] += labeled[group], unlabeled[group]
    return of_group[codes]


def folds_of_rows(folds: int | np.ndarray, rows: np.ndarray) -> int | np.ndarray:
    """Return the folds of some rows; a number of folds is unchanged."""
    return folds[rows] if isinstance(folds, np.ndarray) else folds


def held_out_in(cv: Any, X: Any, positive: np.ndarray, groups: Any = None) -> int | np.ndarray:
    """Return a number of folds unchanged, or the fold in which a splitter (or an iterable of splits) holds each row out.

    None means :data:`N_FOLDS`.  If a row is held out never or twice, raise an error: each row needs one score.
    """
    if cv is None or isinstance(cv, Integral):
        return N_FOLDS if cv is None else int(cv)
    n, labels = _num_samples(X), positive.astype(np.intp)
    name = repr(cv) if hasattr(cv, "split") else "its splits"
    fold = np.full(n, -1)
    for number, (_, held_out) in enumerate(check_cv(cv, labels, classifier=True).split(X, labels, groups)):
        if np.any(fold[held_out] >= 0):
            row = int(np.asarray(held_out)[fold[held_out] >= 0][0])
            raise ValueError(f"cv: {name}: row {row} is held out twice; expected folds that hold out each row once")
        fold[held_out] = number
    if np.any(fold < 0):
        row = int(np.argmax(fold < 0))
        raise ValueError(f"cv: {name}: row {row} is never held out; expected folds that hold out each row once")
    return fold


def held_out_folds(
    positive: np.ndarray,
    folds: int | np.ndarray = N_FOLDS,
    seed: int = 0,
    groups: np.ndarray | None = None,
    weights: np.ndarray | None = None,
    equal: np.ndarray | None = None,
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return stratified folds, at most as many as rows of each kind; equal labels give equal folds.

    Groups are kept whole or, without groups, sets of ``equal`` rows as numbered by :func:`pulib._equal_rows.equal_rows`.  Rows
    of weight 0 do not affect the folds; they are held out, but never trained on.  ``folds`` is a number, or the fold of each
    row.
    """
    if isinstance(folds, np.ndarray):
        return _given_folds(positive, folds)
    if weights is not None and not weights.all():
        counted, others = np.flatnonzero(weights), np.flatnonzero(weights == 0)
        found = held_out_folds(positive[counted], folds, seed, of_rows(groups, counted), equal=of_rows(equal, counted))
        return [
            (counted[train], np.sort(np.r_[counted[held_out], others[k :: len(found)]]))
            for k, (train, held_out) in enumerate(found)
        ]
    if groups is not None:
        return _folds_of_groups(positive, folds, seed, groups)
    least = min(int(positive.sum()), int((~positive).sum()))
    if least < 2:
        raise ValueError(
            f"{int(positive.sum())} labeled and {int((~positive).sum())} unlabeled rows: at least 2 of each are needed, since "
            "held-out rows set the threshold or the probabilities. Label more rows, or use a learner that holds none out, such "
            "as PUExtraTreesClassifier with prior=."
        )
    units = None if equal is None else in_order_of_occurrence(equal)
    of_units = None if units is None else folds_of_units(positive, units, folds, seed)
    if of_units is not None:
        return of_units
    splitter = StratifiedKFold(min(folds, least), shuffle=True, random_state=seed)
    return list(splitter.split(np.zeros(len(positive)), positive))


def folds_with_extra_rows(
    positive: np.ndarray,
    always: np.ndarray | None,
    folds: int | np.ndarray,
    groups: np.ndarray | None,
    weights: np.ndarray | None,
    equal: np.ndarray | None,
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return folds of the rows not in ``always``; train on ``always`` in each fold, except siblings of held-out rows."""
    if always is None:
        return held_out_folds(positive, folds, groups=groups, weights=weights, equal=equal)
    rows, kept = np.flatnonzero(~always), np.flatnonzero(always)
    siblings, found = equal if groups is None else groups, []
    parts = held_out_folds(
        positive[rows],
        folds_of_rows(folds, rows),
        groups=of_rows(groups, rows),
        weights=of_rows(weights, rows),
        equal=of_rows(equal, rows),
    )
    for train, held_out in parts:
        extra = kept if siblings is None else kept[~np.isin(siblings[kept], siblings[rows[held_out]])]
        found.append((np.sort(np.r_[rows[train], extra]), rows[held_out]))
    return found


def _given_folds(positive: np.ndarray, fold: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    for number in np.unique(fold):
        if len(np.unique(positive[fold != number])) < 2:
            raise ValueError(
                f"cv: all labeled rows, or all unlabeled ones, are held out in fold {number}, and the others need rows of both "
                "kinds. Use PUGroupKFold or StratifiedKFold, or label more rows."
            )
    return [(np.flatnonzero(fold != number), np.flatnonzero(fold == number)) for number in np.unique(fold)]


def _folds_of_groups(positive: np.ndarray, n_folds: int, seed: int, groups: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    n_labeled, n_unlabeled = (len(np.unique(groups[rows])) for rows in (positive, ~positive))
    if min(n_labeled, n_unlabeled) < 2:
        raise ValueError(
            f"{n_labeled} groups with labeled and {n_unlabeled} with unlabeled rows: whole groups are held out, and the "
            "remaining ones need rows of both kinds. Label rows of more groups, or omit groups."
        )
    codes = np.unique(groups, return_inverse=True)[1]
    n_folds = min(n_folds, n_labeled, n_unlabeled)
    return _given_folds(positive, deal_groups(codes, positive, n_folds, np.random.RandomState(seed)))
