"""Tuning RESVM, compared with the same search as a loop over scikit-learn; scaling with n and d.

Rows are images, or random rows of MNIST's shape.  The loop fits some of the candidates, and its time is scaled to all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from benchmarks.record import Record, seconds_of
from pulab.trials.grids import expand_grid
from pulib.datasets import Dataset
from pulib.kernels import Plan, draw_rows, draw_seeds, ensemble_values
from pulib.metrics import pu_score
from pulib.model_selection import PUGridSearchCV
from pulib.svm import ClassWeightedSVC, RobustEnsembleSVC


def generated_rows(n_unlabeled: int, d: int, n_labeled: int = 50) -> tuple[np.ndarray, np.ndarray]:
    """Return sparse rows with values like an image's, and about the same norm for any d; a tenth of U are positives."""
    rng = np.random.default_rng(0)
    n = n_labeled + n_unlabeled
    X = rng.random((n, d), dtype=np.float32) * (rng.random((n, d)) < 0.2)
    X[: n_labeled + n_unlabeled // 10, : max(1, d // 10)] += 0.3
    return X / np.sqrt(d / 784), np.repeat([1, 0], [n_labeled, n_unlabeled])


def prepared_rows(data: Dataset, n_unlabeled: int, n_labeled: int = 50) -> tuple[np.ndarray, np.ndarray]:
    """Return random rows of a data set: labeled positives, and unlabeled rows, a tenth of which are positives."""
    rng, truth = np.random.default_rng(0), np.asarray(data.y) == 1
    positives, negatives = rng.permutation(np.flatnonzero(truth)), rng.permutation(np.flatnonzero(~truth))
    n_first = n_labeled + n_unlabeled // 10
    rows = np.concatenate([positives[:n_first], negatives[: n_labeled + n_unlabeled - n_first]])
    return np.asarray(data.X[rows], dtype=np.float32) / np.float32(255), np.repeat([1, 0], [n_labeled, n_unlabeled])


def plan_of(C: float, w_positive: float, n_positive: int, n_unlabeled: int) -> Plan:
    """Return the sizes of RESVM's resamples, and its penalties: the total weight of positives is ``w_positive`` times U's."""
    return Plan(n_positive, n_unlabeled, C * w_positive * n_unlabeled / n_positive, C)


def search(X: np.ndarray, y: np.ndarray, grid: dict[str, Any], n_folds: int) -> PUGridSearchCV:
    """Run our grid search on one thread."""
    estimator = RobustEnsembleSVC(kernel="linear", random_state=0)
    return PUGridSearchCV(estimator, expand_grid(grid), cv=n_folds, random_state=0, refit=False).fit(X, y)


def loop(X: np.ndarray, y: np.ndarray, candidates: Sequence[Mapping[str, Any]], n_folds: int) -> np.ndarray:
    """Return the candidates' scores with the same folds, resamples and penalties; members are SVCs on a precomputed kernel."""
    K = (X @ X.T).astype(np.float64)
    answers = np.zeros((len(candidates), len(y)))
    for train, test in StratifiedKFold(n_folds, shuffle=True, random_state=0).split(X, y):
        P, U = train[y[train] == 1], train[y[train] == 0]
        for k, candidate in enumerate(candidates):
            plan = plan_of(**candidate)
            drawn, n_first = draw_rows(draw_seeds(0, 50), plan, P, U)
            labels = (np.arange(drawn.shape[1]) < n_first).astype(int)
            values = np.empty((len(test), len(drawn)))
            for m, member in enumerate(drawn):
                svm = SVC(kernel="precomputed", class_weight={1: plan.c_positive, 0: plan.c_unlabeled})
                svm.fit(K[np.ix_(member, member)], labels)
                values[:, m] = svm.decision_function(K[np.ix_(test, member)])
            answers[k, test] = ensemble_values(values) > 0.5
    folds = [test for _, test in StratifiedKFold(n_folds, shuffle=True, random_state=0).split(X, y)]
    return np.array([np.mean([pu_score(y[test], own[test]) for test in folds]) for own in answers])


def measure(
    record: Record,
    *,
    n_unlabeled: int,
    n_folds: int,
    grid: dict[str, Any],
    timed: int,
    runs: int,
    rows: Sequence[int],
    features: Sequence[int],
    dataset: str | None = None,
) -> None:
    """Measure the search and the loop, an SVM over n, and a search over d.

    Parameters
    ----------
    record : Record
    n_unlabeled, n_folds : int
    grid : mapping
        Grid of RobustEnsembleSVC, with ``unlabeled_per_positive`` instead of ``n_unlabeled``.
    timed : int
        Number of candidates that the loop fits.
    runs : int
    rows, features : sequences of int
        Unlabeled rows in the series of single SVMs, and features in the series of searches.
    dataset : str, optional
        Name of an image data set; random rows if None.
    """
    (X, y), name = generated_rows(n_unlabeled, 784), "generated"
    if dataset is not None:
        (X, y), name = prepared_rows(record.load(dataset), n_unlabeled), dataset
    tuned = search(X, y, grid, n_folds)  # loads the compiled kernels
    candidates = list(tuned.cv_results_["params"])
    chosen = np.linspace(0, len(candidates) - 1, timed).astype(int)
    own = [seconds_of(partial(search, X, y, grid, n_folds)) for _ in range(runs)]
    scores: list[np.ndarray] = []
    part = [seconds_of(lambda: scores.append(loop(X, y, [candidates[k] for k in chosen], n_folds)))]
    difference = np.abs(scores[0] - tuned.cv_results_["mean_test_score"][chosen]).max() / np.abs(scores[0]).max()
    note = f"the loop fits only {timed} candidates, and its time is scaled up; the scores differ by at most {difference:.1%}"
    shape = f"{name}, 50 + {n_unlabeled} x 784, {len(candidates)} candidates, {n_folds} folds, 50 SVMs"
    other = [s * len(candidates) / timed for s in part]
    record.add("grid search of RESVM", shape, own, "loop over SVC(precomputed)", other, threads=1, note=note)
    _growth(record, grid, n_folds, rows, features)


def _growth(record: Record, grid: dict[str, Any], n_folds: int, rows: Sequence[int], features: Sequence[int]) -> None:
    small = {name: values[:2] for name, values in grid.items()}

    def searching(n: int, d: int) -> Callable[[], Any]:
        return partial(search, *generated_rows(n, d), small, n_folds)

    n_small = math.prod(len(values) for values in small.values())
    name = f"grid search, {n_small} candidates, {n_folds} folds"
    record.scale(name, "d", features, partial(searching, 1000), "50 + 1000 x d, linear", runs=1, threads=1)

    def one(n: int) -> Callable[[], Any]:
        X, y = generated_rows(n, 22, n // 10)
        return partial(ClassWeightedSVC(C_positive=1.0, C_unlabeled=0.1, gamma=1.0).fit, X, y)

    record.scale("one SVM on all rows", "n", rows, one, "1.1 n x 22, RBF", runs=1, threads=1)
