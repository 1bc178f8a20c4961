"""Cross-validation of many candidates of a machine or an ensemble, over kernel matrices that they share.

The rows are put in the order of their folds, so that the rows held out lie side by side: a support vector's kernel values with
all of them are then one contiguous piece of its row.  Candidates that differ in their penalties only share their resamples, and
each fit starts from another's solution (see :mod:`pulib.svm._paths`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone

from pulib._random import draw_seeds
from pulib.svm._kernels import Kernel, kernel_matrix, resolve_kernel
from pulib.svm._paths import decide_held_out, draw_resamples, vote


class Plan(NamedTuple):
    """What a machine or ensemble is fitted on, for given numbers of positives and unlabeled rows.

    Attributes
    ----------
    n_positive : int or None
        Size of the resamples of the positives; None for all of them, once.
    n_unlabeled : int or None
        Size of the resamples of the unlabeled rows; None where there are no resamples but one machine on all rows.
    c_positive, c_unlabeled : float
    """

    n_positive: int | None
    n_unlabeled: int | None
    c_positive: float
    c_unlabeled: float


def draw_rows(seeds: np.ndarray, plan: Plan, positive_rows: np.ndarray, unlabeled_rows: np.ndarray) -> tuple[np.ndarray, int]:
    """Rows of each member's resample, positives first, and how many of them are positives."""
    n_members = len(seeds)
    drawn_p = np.empty((n_members, plan.n_positive or 0), dtype=np.int32)
    drawn_u = np.empty((n_members, plan.n_unlabeled or 0), dtype=np.int32)
    draw_resamples(seeds, len(positive_rows), len(unlabeled_rows), drawn_p, drawn_u)
    if plan.n_positive is None:
        first = np.broadcast_to(positive_rows, (n_members, len(positive_rows)))
    else:
        first = positive_rows[drawn_p]
    return np.ascontiguousarray(np.hstack([first, unlabeled_rows[drawn_u]]), dtype=np.int32), first.shape[1]


def predict_candidates(
    estimator: Any,
    X: np.ndarray,
    positive: np.ndarray,
    fold: np.ndarray,
    candidates: Sequence[Mapping[str, Any]],
    n_jobs: int | None = None,
) -> np.ndarray:
    """Out-of-fold answers of all candidates.

    Parameters
    ----------
    estimator : ClassWeightedSVC, BaggingSVC or RobustEnsembleSVC
    X : array of shape (n_samples, n_features)
    positive : bool array of shape (n_samples,)
    fold : int array of shape (n_samples,)
        The fold in which each row is held out, from 0 on.
    candidates : sequence of dicts
        Parameters to set.
    n_jobs : int or None
        Threads; the answers do not depend on it.

    Returns
    -------
    answers : bool array of shape (n_candidates, n_samples)
        Whether a row is held to be positive by the candidate that was fitted on the other folds.
    """
    machines = [clone(estimator).set_params(**candidate) for candidate in candidates]
    for machine in machines:
        machine._validate_params()
    n_folds = int(fold.max()) + 1
    order = np.argsort(fold, kind="stable")
    place = np.empty(len(fold), dtype=np.int32)
    place[order] = np.arange(len(fold))
    edges = np.searchsorted(fold[order], np.arange(n_folds + 1))
    train = [np.flatnonzero(fold != f) for f in range(n_folds)]
    positive_rows = [rows[positive[rows]] for rows in train]
    unlabeled_rows = [rows[~positive[rows]] for rows in train]
    for f in range(n_folds):
        if len(positive_rows[f]) == 0 or len(unlabeled_rows[f]) == 0:
            raise ValueError(
                f"fold {f} leaves {len(positive_rows[f])} positives and {len(unlabeled_rows[f])} unlabeled rows to train on; "
                "both are needed: take fewer folds."
            )
    groups = _group(machines, X, train, positive_rows, unlabeled_rows)
    ordered = X[order]
    answers = np.zeros((len(candidates), len(fold)), dtype=bool)
    signs = np.where(positive[order], 1.0, -1.0)
    for kernel, jobs in groups.items():
        K = kernel_matrix(kernel, ordered, np.float32)

        def run(f: np.ndarray, members: Any, K: np.ndarray = K) -> Any:
            numbers, plans = [number for number, _ in members], [plan for _, plan in members]
            ascending = sorted(range(len(plans)), key=lambda k: (plans[k].c_positive, plans[k].c_unlabeled))
            penalties = np.array([plans[k][2:] for k in ascending])
            machine = machines[numbers[0]]
            p, u = place[positive_rows[f]], place[unlabeled_rows[f]]
            positive_answers = _answer(K, machine, plans[0], penalties, p, u, signs, int(edges[f]), int(edges[f + 1]))
            rows = order[edges[f] : edges[f + 1]]
            for k, row in zip(ascending, positive_answers, strict=True):
                answers[numbers[k], rows] = row

        Parallel(n_jobs=n_jobs, prefer="threads")(delayed(run)(f, members) for (f, _), members in jobs.items())
        del K
    return answers


def _group(
    machines: Sequence[Any], X: Any, train: Any, positive_rows: Sequence[np.ndarray], unlabeled_rows: Sequence[np.ndarray]
) -> dict[Kernel, dict[tuple, list[tuple[int, Plan]]]]:
    """Candidates by kernel, then by fold and everything but their penalties."""
    groups: dict[Kernel, dict[tuple, list[tuple[int, Plan]]]] = defaultdict(lambda: defaultdict(list))
    kernels: dict[tuple, Kernel] = {}
    seed = np.random.RandomState().randint(2**31)  # for estimators without a seed: the same resamples for all candidates
    for number, machine in enumerate(machines):
        if getattr(machine, "random_state", 0) is None:
            machine.random_state = seed
        for f, rows in enumerate(train):
            per_fold = f if machine.gamma == "scale" else -1
            key = (machine.kernel, machine.gamma, machine.degree, machine.coef0, per_fold)
            if key not in kernels:
                kernels[key] = resolve_kernel(machine, X[rows] if per_fold >= 0 else X)
            plan = machine._plan(len(positive_rows[f]), len(unlabeled_rows[f]))
            shared = (plan.n_positive, plan.n_unlabeled, getattr(machine, "n_estimators", 1), machine.tol, machine.max_iter)
            groups[kernels[key]][f, (*shared, repr(getattr(machine, "random_state", None)))].append((number, plan))
    return groups


def _answer(
    K: np.ndarray,
    machine: Any,
    plan: Plan,
    penalties: np.ndarray,
    p: np.ndarray,
    u: np.ndarray,
    signs: np.ndarray,
    first: int,
    last: int,
) -> np.ndarray:
    """Answers on the rows held out, one row per pair of penalties."""
    c_positive, c_unlabeled = np.ascontiguousarray(penalties[:, 0]), np.ascontiguousarray(penalties[:, 1])
    limit = max(10_000_000, 100 * len(K)) if machine.max_iter == -1 else machine.max_iter
    iterations = np.zeros(len(penalties), dtype=np.int64)
    if plan.n_unlabeled is None:
        y, diagonal = np.zeros(K.shape[1]), np.zeros(K.shape[1], dtype=K.dtype)
        y[: len(K)] = signs
        diagonal[: len(K)] = K.diagonal()
        values = np.empty((len(penalties), last - first))
        decide_held_out(K, diagonal, y, c_positive, c_unlabeled, float(machine.tol), limit, first, last, values, iterations)
        return values > 0
    drawn, n_first = draw_rows(draw_seeds(machine.random_state, machine.n_estimators), plan, p, u)
    votes = np.zeros((len(penalties), last - first), dtype=np.int32)
    vote(K, drawn, n_first, first, last, c_positive, c_unlabeled, float(machine.tol), limit, votes, iterations)
    return votes > 0
