"""Cross-fitting: every row is scored by models that saw neither the row nor its group.

Scores of different models have no common scale.  What is kept of a row is its place among the unlabeled rows that the same
model scored: the share of them that score lower, from 0 to 1.
"""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pulab.plan.seeds import derive_seed
from pulab.trials.protocol import scores_of
from purank.learners import Learner
from purank.table import Rows


@dataclass(frozen=True, eq=False)
class Scored:
    """What a learner's cross-fitting gave.

    Attributes
    ----------
    place : float array of shape (n_rows,)
        The share of the unlabeled rows that score lower, on average over all models that did not see the row.
    called : float array of shape (n_rows,)
        The share of these models that call the row positive.
    fit_seconds, predict_seconds : float
        Of one model, and of 1,000 rows.
    n_trained : int
        Rows that a model was trained on.
    error : str
        Why there is nothing of all this; empty where there is.
    """

    place: np.ndarray
    called: np.ndarray
    fit_seconds: float = float("nan")
    predict_seconds: float = float("nan")
    n_trained: int = 0
    error: str = ""

    def save(self, path: Path) -> None:
        arrays: dict[str, Any] = {name: np.asarray(value) for name, value in vars(self).items()}
        np.savez(path, **arrays)

    @classmethod
    def load(cls, path: Path) -> Scored:
        with np.load(path) as file:
            found = {name: file[name] for name in file.files}
        single = {name: value.item() for name, value in found.items() if value.ndim == 0}
        return cls(**{**found, **single})


def fold_numbers(rows: Rows, n_folds: int, seed: int) -> np.ndarray:
    """Which fold each labeled or unlabeled row is in, -1 for test rows.

    Groups stay whole.  Labeled rows, or groups that hold one, are dealt out apart from the others.
    """
    units = rows.train if rows.groups is None else rows.groups[rows.train]
    _, unit = np.unique(units, return_inverse=True)
    holds_labeled = np.bincount(unit, weights=rows.labeled[rows.train]) > 0
    fold_of_unit = np.empty(len(holds_labeled), dtype=np.int64)
    rng = np.random.default_rng(seed)
    for members in (np.flatnonzero(holds_labeled), np.flatnonzero(~holds_labeled)):
        fold_of_unit[rng.permutation(members)] = np.arange(len(members)) % n_folds
    folds = np.full(len(rows.labeled), -1)
    folds[rows.train] = fold_of_unit[unit]
    return folds


def sample_rows(rows: np.ndarray, labeled: np.ndarray, at_most: int, seed: int) -> np.ndarray:
    """Some of the training rows: labeled ones first, as long as they fill no more than half of the places.

    The unlabeled rows stand for the population, and so do some of them; how many labeled rows go along is free.
    """
    if len(rows) <= at_most:
        return rows
    rng = np.random.default_rng(seed)
    positives, others = (rng.permutation(rows[labeled[rows] == kind]) for kind in (True, False))
    n_positives = min(len(positives), max(at_most // 2, at_most - len(others)))
    return np.sort(np.concatenate([positives[:n_positives], others[: at_most - n_positives]]))


def places(scores: np.ndarray, among: np.ndarray) -> np.ndarray:
    """The share of ``among`` that score lower, ties counting half.

    >>> places(np.array([0.0, 2.0, 9.0]), np.array([1.0, 2.0, 2.0, 3.0]))
    array([0. , 0.5, 1. ])
    """
    among = np.sort(among)
    below, up_to = (np.searchsorted(among, scores, side) for side in ("left", "right"))
    return 0.5 * (below + up_to) / len(among)


def cross_fit(
    learner: Learner,
    rows: Rows,
    prior: float,
    *,
    n_folds: int,
    repeats: int,
    max_rows: int | None = None,
    seed: int = 0,
    n_jobs: int = 1,
) -> Scored:
    """Score every row by models that did not see it; a learner that fails says why.

    Parameters
    ----------
    learner : Learner
    rows : Rows
    prior : float
        The share of positives among the unlabeled rows.
    n_folds, repeats : int
        Folds of each partition, and partitions.
    max_rows : int or None
        The most rows that a model is trained on.
    seed, n_jobs : int
    """
    n = len(rows.labeled)
    if learner.missing:
        return Scored(np.empty(0), np.empty(0), error=f"the Python package {learner.missing!r} is not installed")
    sums, called, counts = np.zeros(n), np.zeros(n), np.zeros(n)
    fits, predictions, n_trained = [], [], 0
    try:
        for held_out, train, own_seed in _partitions(rows, n_folds, repeats, max_rows, seed):
            model = learner.build(prior, derive_seed(learner.name, own_seed), n_jobs)
            start = time.perf_counter()
            _fit(model, rows.X[train], rows.labeled[train].astype(np.int64))
            fits.append(time.perf_counter() - start)
            looked_at = np.concatenate([held_out, rows.test])
            start = time.perf_counter()
            X = rows.X[looked_at]
            scores = scores_of(model, X)
            predictions.append(1000.0 * (time.perf_counter() - start) / len(looked_at))
            among = scores[: len(held_out)][~rows.labeled[held_out]]
            sums[looked_at] += places(scores, among)
            called[looked_at] += np.asarray(model.predict(X)) == 1
            counts[looked_at] += 1
            n_trained = max(n_trained, len(train))
    except Exception as error:  # whatever a learner raises is its result, not the end of the others
        traceback.print_exc()
        return Scored(np.empty(0), np.empty(0), error=f"{type(error).__name__}: {error}".splitlines()[0])
    return Scored(sums / counts, called / counts, float(np.median(fits)), float(np.median(predictions)), n_trained)


def _partitions(
    rows: Rows, n_folds: int, repeats: int, max_rows: int | None, seed: int
) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
    """Rows that are held out, rows that train, and a seed: the same ones for every learner, but for ``max_rows``."""
    for repeat in range(repeats):
        folds = fold_numbers(rows, n_folds, derive_seed("folds", seed, repeat))
        for fold in range(n_folds):
            own_seed = derive_seed("bench", seed, repeat, fold)
            train = np.flatnonzero((folds >= 0) & (folds != fold))
            if max_rows is not None:
                train = sample_rows(train, rows.labeled, max_rows, own_seed)
            yield np.flatnonzero(folds == fold), train, own_seed


def _fit(model: Any, X: np.ndarray, y: np.ndarray) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("once")  # into the job's log
        model.fit(X, y)
