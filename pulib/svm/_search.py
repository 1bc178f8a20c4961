"""Cross-validation of many candidates of an SVM or ensemble, over shared kernel matrices.

The rows are sorted by fold, so that a support vector's kernel values with all held-out rows are contiguous.  Candidates that
differ only in their penalties share their resamples, and each fit starts from another's solution (see :mod:`pulib.svm._paths`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state

from pulib._random import draw_seeds
from pulib._warnings import issue_warning
from pulib.svm._kernels import Kernel, kernel_matrix, resolve_kernel
from pulib.svm._paths import Grid, draw_resamples
from pulib.svm._rows import ACCEPTED, dense_rows
from pulib.svm._runs import Stop, decide_held_out, vote

#: Rows are centered if the squared norm of their mean is this many times their variance: otherwise, inner products in single
#: precision would lose more than two of their seven digits.
FAR_OFF = 100.0


class Plan(NamedTuple):
    """Resamples and penalties of an SVM or ensemble, for given numbers of positives and unlabeled rows."""

    n_positive: int | None  # size of the positives' resamples; None for all positives, once each
    n_unlabeled: int | None  # size of the unlabeled rows' resamples; None for one SVM on all rows
    c_positive: float
    c_unlabeled: float


@dataclass(frozen=True)
class Fold:
    """One fold: training rows by their number in X, and the positions of held-out rows once rows are sorted by fold."""

    train: np.ndarray  # all rows of the other folds
    positive: np.ndarray  # the positives among them
    unlabeled: np.ndarray
    first: int  # the held-out positions are first .. last - 1
    last: int


def cut_folds(fold: np.ndarray, positive: np.ndarray) -> list[Fold]:
    """Build the folds from each row's fold number, from 0 on, and label."""
    n_folds = int(fold.max()) + 1
    edges = np.searchsorted(np.sort(fold), np.arange(n_folds + 1))
    folds = []
    for f in range(n_folds):
        train = np.flatnonzero(fold != f)
        cut = Fold(train, train[positive[train]], train[~positive[train]], int(edges[f]), int(edges[f + 1]))
        if len(cut.positive) == 0 or len(cut.unlabeled) == 0:
            raise ValueError(
                f"fold {f} leaves {len(cut.positive)} positives and {len(cut.unlabeled)} unlabeled rows to train on; "
                "both are needed: use fewer folds."
            )
        folds.append(cut)
    return folds


def iteration_limit(max_iter: int, n: int) -> int:
    """Return ``max_iter``, or LIBSVM's limit if it is -1."""
    return max(10_000_000, 100 * n) if max_iter == -1 else max_iter


def warn_if_unfinished(estimator: Any, iterations: np.ndarray, limit: int) -> None:
    """Warn if a fit stopped at its iteration limit."""
    unfinished = int(np.sum(iterations >= limit))
    if unfinished:
        issue_warning(
            f"{type(estimator).__name__}: {unfinished} of {len(iterations)} machines stopped at max_iter={limit} before "
            f"reaching tol={estimator.tol}; raise max_iter or scale the features.",
            category=ConvergenceWarning,
        )


def draw_rows(seeds: np.ndarray, plan: Plan, positive_rows: np.ndarray, unlabeled_rows: np.ndarray) -> tuple[np.ndarray, int]:
    """Draw the rows of each member's resample, positives first; return them and the number of positives."""
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
) -> np.ndarray | None:
    """Out-of-fold predictions of all candidates (sets of parameters of an SVM): True for rows that are predicted positive.

    ``fold`` is the number of the fold, from 0 on, in which each row is held out.  The predictions do not depend on the number
    of threads.

    Returns None if the candidates must be scored one by one: if ``prior`` sets the threshold of one, or if an SVM reached the
    given ``max_iter``, because where such a fit stops depends on its start and the order of the rows.  With ``max_iter=-1``, an
    SVM that reaches LIBSVM's limit warns.
    """
    X = dense_rows(check_array(X, **ACCEPTED))
    machines = [clone(estimator).set_params(**candidate) for candidate in candidates]
    for machine in machines:
        machine._validate_params()
    if any(machine.prior is not None for machine in machines):
        return None
    folds = cut_folds(fold, positive)
    order = np.argsort(fold, kind="stable")
    place = np.empty(len(fold), dtype=np.int32)
    place[order] = np.arange(len(fold))
    groups = _group(machines, X, folds)
    ordered = X[order]
    iterations: list[np.ndarray] = []
    predictions = np.zeros((len(candidates), len(fold)), dtype=bool)
    signs = np.where(positive[order], 1.0, -1.0)
    for kernel, jobs in groups.items():
        K = kernel_matrix(kernel, _centered(ordered) if kernel.function == "linear" else ordered, np.float32)

        def run(cut: Fold, sharing: list[Candidate], stop: Stop, K: np.ndarray = K) -> tuple[bool, np.ndarray]:
            numbers, plans = [candidate.number for candidate in sharing], [candidate.plan for candidate in sharing]
            ascending = sorted(range(len(plans)), key=lambda k: (plans[k].c_positive, plans[k].c_unlabeled))
            c_positive, c_unlabeled = np.ascontiguousarray(np.array([plans[k][2:] for k in ascending]).T)
            machine = machines[numbers[0]]
            grid = Grid(c_positive, c_unlabeled, float(machine.tol), iteration_limit(machine.max_iter, len(K)))
            held_out, steps = _answer(K, grid, sharing[0], cut, (place, signs), stop)
            for k, row in zip(ascending, held_out, strict=True):
                predictions[numbers[k], order[cut.first : cut.last]] = row
            return machine.max_iter != -1 and bool(np.any(steps >= grid.max_iter)), steps.ravel()

        with Stop() as stop:
            # the closure writes into arrays of this process, which requires threads regardless of the caller's backend
            jobs_of_kernel = (delayed(run)(folds[f], sharing, stop) for (f, _), sharing in jobs.items())
            results = Parallel(n_jobs=n_jobs, require="sharedmem")(jobs_of_kernel)
        for stopped, steps in results:
            if stopped:
                return None
            iterations.append(steps)
        del K
    warn_if_unfinished(estimator, np.concatenate(iterations), iteration_limit(-1, len(fold)))
    return predictions


def _centered(X: np.ndarray) -> np.ndarray:
    """Center rows far from the origin, so that a linear kernel keeps its digits in single precision.

    The coefficients of an SVM sum to 0, so a common offset of all rows drops out of the dual and only moves the bias.  Rows
    near the origin are unchanged, bit for bit.
    """
    mean = X.mean(axis=0, dtype=np.float64)
    centered = X - mean
    return centered if mean @ mean > FAR_OFF * np.einsum("ij,ij->", centered, centered) / len(X) else X


class Candidate(NamedTuple):
    """A candidate in one fold."""

    number: int  # of the candidate
    plan: Plan
    seeds: np.ndarray | None  # of the resamples; None without resamples


def _group(machines: Sequence[Any], X: Any, folds: Sequence[Fold]) -> dict[Kernel, dict[tuple, list[Candidate]]]:
    """Group candidates by kernel, then by fold and everything except their penalties."""
    groups: dict[Kernel, dict[tuple, list[Candidate]]] = defaultdict(lambda: defaultdict(list))
    kernels: dict[tuple, Kernel] = {}
    all_seeds = _draw_all_seeds(machines)
    for number, (machine, seeds) in enumerate(zip(machines, all_seeds, strict=True)):
        for f, cut in enumerate(folds):
            per_fold = f if machine.gamma == "scale" else -1
            key = (machine.kernel, machine.gamma, per_fold)
            if key not in kernels:
                kernels[key] = resolve_kernel(machine, X[cut.train] if per_fold >= 0 else X)
            plan = machine._plan(len(cut.positive), len(cut.unlabeled))
            same_rows = (plan.n_positive, plan.n_unlabeled, None if seeds is None else seeds.tobytes())
            shared = (*same_rows, machine.tol, machine.max_iter)
            groups[kernels[key]][f, shared].append(Candidate(number, plan, seeds))
    return groups


def _draw_all_seeds(machines: Sequence[Any]) -> list[np.ndarray | None]:
    """Draw the seeds of each candidate's resamples, the same in all folds, as fits of its clones would.

    Candidates with ``random_state=None`` share a seed from NumPy's global state, and so have the same resamples.
    """
    common: int | None = None
    drawn: list[np.ndarray | None] = []
    for machine in machines:
        if not hasattr(machine, "random_state"):
            drawn.append(None)
            continue
        state = clone(machine).random_state  # a copy: drawing must not advance the caller's generator
        if state is None:
            common = int(check_random_state(None).randint(2**31)) if common is None else common
            state = common
        drawn.append(draw_seeds(state, machine.n_estimators))
    return drawn


def _answer(
    K: np.ndarray, grid: Grid, candidate: Candidate, fold: Fold, order: tuple[np.ndarray, np.ndarray], stop: Stop
) -> tuple[np.ndarray, np.ndarray]:
    """Predictions on the held-out rows, one row per pair of penalties, and the iterations of all SVMs fitted for them.

    ``order`` holds the position in K of each row of X, and the signs in the order of K.
    """
    n_fits, (place, signs) = len(grid.c_positive), order
    if candidate.seeds is None:
        y, iterations = np.zeros(K.shape[1]), np.zeros(n_fits, dtype=np.int64)
        y[: len(K)] = signs
        return decide_held_out(K, y, grid, fold.first, fold.last, iterations, stop) > 0, iterations
    drawn, n_first = draw_rows(candidate.seeds, candidate.plan, place[fold.positive], place[fold.unlabeled])
    votes = np.zeros((n_fits, fold.last - fold.first), dtype=np.int32)
    iterations = np.zeros((len(drawn), n_fits), dtype=np.int64)
    vote(K, drawn, n_first, grid, fold.first, votes, iterations, stop)
    return votes > 0, iterations
