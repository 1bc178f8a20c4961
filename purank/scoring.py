"""Cross-fitting: every row is scored by models that saw neither the row nor its group.

Scores of different models have no common scale.  What is kept of a row is its place among the unlabeled rows that the same
model scored: the share of them that score lower, from 0 to 1.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from purank.learners import Learner
from purank.question import QuestionError
from purank.table import Rows

#: Seed of everything that is drawn at random.
SEED = 0


@dataclass(frozen=True, eq=False)
class Scored:
    """Results of cross-fitting a learner, or of one of its models.

    Attributes
    ----------
    place : float array of shape (n_rows,)
        The share of the unlabeled rows that score lower, on average over all models that did not see the row; NaN for rows
        that none of them scored.
    called : float array of shape (n_rows,)
        The share of these models that call the row positive.
    fit_seconds, predict_seconds : float
        Of one model, and of 1,000 rows.
    n_trained : int
        Rows that a model was trained on.
    sampled : int
        As many of them were drawn at random, to stay within time and memory; 0 if all rows were used.
    error : str
        Why there is nothing of all this; empty where there is.
    """

    place: np.ndarray
    called: np.ndarray
    fit_seconds: float = float("nan")
    predict_seconds: float = float("nan")
    n_trained: int = 0
    sampled: int = 0
    error: str = ""

    def save(self, path: Path) -> None:
        """Write the file completely or not at all, even if the process is killed."""
        path.parent.mkdir(parents=True, exist_ok=True)
        arrays: dict[str, Any] = {name: np.asarray(value) for name, value in vars(self).items()}
        partial = path.with_suffix(f".{os.getpid()}")
        with open(partial, "wb") as file:
            np.savez(file, **arrays)
        partial.replace(path)

    @classmethod
    def load(cls, path: Path) -> Scored:
        """Load a file of :meth:`save`; of one that is damaged inside, the next run trains the model again."""
        try:
            with np.load(path) as file:
                found = {name: file[name] for name in file.files}
        except Exception as error:  # whatever the damage leads to
            path.unlink(missing_ok=True)
            raise QuestionError(f"{path} was damaged, and is removed; the same command continues the run") from error
        single = {name: value.item() for name, value in found.items() if value.ndim == 0}
        return cls(**{**found, **single})


def fold_numbers(rows: Rows, n_folds: int, seed: int) -> np.ndarray:
    """Assign each labeled or unlabeled row to a fold; test rows get -1.

    Groups stay whole; without groups equal rows do, unless that leaves a fold without labeled or without other rows.  Labeled
    rows, or groups that hold one, are dealt out apart from the others.
    """
    units = _equal_rows(rows.X[rows.train]) if rows.groups is None else rows.groups[rows.train]
    holds_labeled, unit = _kinds_of_units(units, rows)
    if rows.groups is None and min(holds_labeled.sum(), (~holds_labeled).sum()) < n_folds:
        holds_labeled, unit = _kinds_of_units(np.arange(len(rows.train)), rows)
    fold_of_unit = np.empty(len(holds_labeled), dtype=np.int64)
    rng = np.random.default_rng(seed)
    for members in (np.flatnonzero(holds_labeled), np.flatnonzero(~holds_labeled)):
        fold_of_unit[rng.permutation(members)] = np.arange(len(members)) % n_folds
    folds = np.full(len(rows.labeled), -1)
    folds[rows.train] = fold_of_unit[unit]
    return folds


def _equal_rows(X: np.ndarray) -> np.ndarray:
    """Numbers of rows, in their order but for those that are equal to an earlier one, and have its number."""
    _, first, number = np.unique(X, axis=0, return_index=True, return_inverse=True)
    return first[number.ravel()]


def _kinds_of_units(units: np.ndarray, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """Which units hold a labeled row, and the unit of each training row."""
    unit = np.unique(units, return_inverse=True)[1]
    return np.bincount(unit, weights=rows.labeled[rows.train]) > 0, unit


def sample_rows(rows: np.ndarray, labeled: np.ndarray, at_most: int, seed: int) -> np.ndarray:
    """Some of the training rows: labeled ones first, as long as they fill no more than half of the places.

    The unlabeled rows represent the population, and so do some of them; how many labeled rows go along is free.
    """
    if len(rows) <= at_most:
        return rows
    rng = np.random.default_rng(seed)
    positives, others = (rng.permutation(rows[labeled[rows] == kind]) for kind in (True, False))
    n_positives = min(len(positives), max(at_most // 2, at_most - len(others)))
    return np.sort(np.concatenate([positives[:n_positives], others[: at_most - n_positives]]))


def places(scores: np.ndarray, among: np.ndarray) -> np.ndarray:
    """Return the share of ``among`` with lower scores; ties count half.

    >>> places(np.array([0.0, 2.0, 9.0]), np.array([1.0, 2.0, 2.0, 3.0]))
    array([0. , 0.5, 1. ])
    """
    among = np.sort(among)
    below, up_to = (np.searchsorted(among, scores, side) for side in ("left", "right"))
    return 0.5 * (below + up_to) / len(among)


def derive_seed(*what: str | int) -> int:
    """Derive a 32-bit seed from its purpose."""
    return int(digest(*what)[:8], 16)


def digest(*what: object) -> str:
    """Return a short hash of some values."""
    text = json.dumps(what, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def score_fold(learner: Learner, rows: Rows, prior: float, fold: int, *, n_folds: int, max_rows: int | None = None) -> Scored:
    """Score a fold's rows and all test rows by a model that has not seen them; if it fails, record the error.

    Parameters
    ----------
    learner : Learner
    rows : Rows
    prior : float
        The share of positives among the unlabeled rows.
    fold : int
        Of the first partition of the rows into ``n_folds``, then of the next: the same ones for every learner.
    n_folds : int
    max_rows : int or None
        The most rows that the model is trained on.
    """
    repeat, number = divmod(fold, n_folds)
    folds = fold_numbers(rows, n_folds, derive_seed("folds", SEED, repeat))
    own_seed = derive_seed("bench", SEED, repeat, number)
    train, held_out = np.flatnonzero((folds >= 0) & (folds != number)), np.flatnonzero(folds == number)
    sampled = 0 if max_rows is None or max_rows >= len(train) else max_rows
    if sampled:
        train = sample_rows(train, rows.labeled, sampled, own_seed)
    looked_at = np.concatenate([held_out, rows.test])
    place, called = np.full((2, len(rows.labeled)), np.nan)
    try:
        model = learner.build(prior, derive_seed(learner.name, own_seed))
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("once")
            model.fit(rows.X[train], rows.labeled[train].astype(np.int64))
        fit_seconds = time.perf_counter() - start
        start = time.perf_counter()
        X = rows.X[looked_at]
        scores = scores_of(model, X)
        predict_seconds = 1000.0 * (time.perf_counter() - start) / len(looked_at)
        place[looked_at] = places(scores, scores[: len(held_out)][~rows.labeled[held_out]])
        called[looked_at] = np.asarray(model.predict(X)) == 1
    except Exception as error:  # an error of a learner is its result, not the end of the others
        traceback.print_exc()
        return Scored(np.empty(0), np.empty(0), error=f"{type(error).__name__}: {error}".splitlines()[0])
    return Scored(place, called, fit_seconds, predict_seconds, len(train), sampled)


def scores_of(model: Any, X: np.ndarray) -> np.ndarray:
    """Return the scores by which a model ranks rows."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), dtype=np.float64)
    return np.asarray(model.predict_proba(X)[:, 1], dtype=np.float64)


def together(parts: Sequence[Scored]) -> Scored:
    """Combine the scores of a learner's models, or the error if one failed."""
    for part in parts:
        if part.error:
            return part
    sums, called, counts = np.zeros((3, len(parts[0].place)))
    for part in parts:
        scored = np.isfinite(part.place)
        sums[scored] += part.place[scored]
        called[scored] += part.called[scored]
        counts += scored
    return Scored(
        sums / counts,
        called / counts,
        float(np.median([part.fit_seconds for part in parts])),
        float(np.median([part.predict_seconds for part in parts])),
        max(part.n_trained for part in parts),
        max(part.sampled for part in parts),
    )
