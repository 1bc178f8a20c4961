"""The class-weighted linear SVM of LIBLINEAR, which the chapter names for CWSVM with the linear kernel (section 2.4.1).

Squared slacks make the objective smooth, and without a bias the dual has no equality constraint.  Newton's method on the
coefficients of the rows within the margin (Chapelle, 2007) then ends at the optimum, whereas LIBLINEAR's solver often stops at
its limit of 1,000 iterations.  The cost of a step is one Cholesky decomposition, with as many equations as there are rows
within the margin or features, whichever are fewer.  A search shares one kernel matrix, and each candidate starts from its
neighbor's solution.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.blas import dsyrk
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array
from threadpoolctl import threadpool_limits

from pulib import svm
from pulib.kernels import kernel_matrix, resolve_kernel

#: Maximum number of Newton steps; about ten are usual.
MAX_STEPS = 200


class ClassWeightedLinearSVC(svm.ClassWeightedSVC):
    """Linear SVM with squared slacks and no bias: scikit-learn's ``LinearSVC(fit_intercept=False)`` at its optimum.

    Parameters
    ----------
    C_positive, C_unlabeled : float > 0, default=1.0
        The penalties on the squared slacks of labeled positives and of unlabeled rows.

    Attributes
    ----------
    coef_ : array of shape (1, n_features)
    intercept_ : array of shape (1,)
        Zero.
    n_iter_ : int
        Number of Newton steps.

    References
    ----------
    Fan et al., LIBLINEAR: a library for large linear classification (2008); Chapelle, Training a support vector machine in the
    primal (2007).
    """

    def __init__(self, *, C_positive: float = 1.0, C_unlabeled: float = 1.0):
        super().__init__(C_positive=C_positive, C_unlabeled=C_unlabeled, kernel="linear")

    def fit(self, X: Any, y: Any) -> ClassWeightedLinearSVC:
        self._validate_params()
        X, positive = self._validate_fit(X, y)
        with one_thread():
            path = squared_slack_path(self._rows(X, positive), [(self.C_positive, self.C_unlabeled)], np.zeros(len(X)))
            beta, self.n_iter_ = next(path)
        self.coef_, self.intercept_ = (beta @ X)[None], np.zeros(1)
        return self

    def _rows(self, X: np.ndarray, positive: np.ndarray) -> SquaredSlackRows:
        K = kernel_matrix(resolve_kernel(self, X), X, np.float64)[:, : len(X)]
        return SquaredSlackRows(K, X[:, X.any(axis=0)].astype(np.float64, copy=False), positive)

    def _predict_candidates(
        self, X: Any, positive: np.ndarray, fold: np.ndarray, candidates: Sequence[Mapping[str, Any]], n_jobs: int | None = None
    ) -> np.ndarray:
        """Out-of-fold predictions of all candidates; ``fold`` is the number of the fold that holds out each row."""
        machines = [clone(self).set_params(**candidate) for candidate in candidates]
        for machine in machines:
            machine._validate_params()
        rows = self._rows(check_array(X, dtype=[np.float64, np.float32]), positive)
        penalties = [(machine.C_positive, machine.C_unlabeled) for machine in machines]
        order = sorted(range(len(machines)), key=lambda k: penalties[k][::-1])  # neighbors differ little
        path = [penalties[k] for k in order]
        predictions = np.zeros((len(machines), len(positive)), dtype=bool)

        def run(held_out: np.ndarray) -> None:
            train = np.flatnonzero(~held_out)
            block = rows.K[np.ix_(held_out, train)]
            for k, (beta, _) in zip(order, squared_slack_path(rows.part(train), path, start[train]), strict=True):
                predictions[k, held_out] = block @ beta > 0

        with one_thread():
            start, _ = next(squared_slack_path(rows, path[:1], np.zeros(len(positive))))
            # the closure writes into an array of this process, which requires threads regardless of the caller's backend
            Parallel(n_jobs=n_jobs, require="sharedmem")(delayed(run)(fold == number) for number in np.unique(fold))
        return predictions


def one_thread() -> threadpool_limits:
    """Limit BLAS to one thread; several take three times as long to decompose matrices of a few hundred rows."""
    return threadpool_limits(1, user_api="blas")


@dataclass(frozen=True)
class SquaredSlackRows:
    """Training rows of SVMs that differ in their penalties."""

    K: np.ndarray  # (n, n): inner products of the rows
    features: np.ndarray  # (n, d): those that are not 0 in all rows
    positive: np.ndarray

    def part(self, rows: np.ndarray) -> SquaredSlackRows:
        return SquaredSlackRows(self.K[np.ix_(rows, rows)], self.features[rows], self.positive[rows])

    @cached_property
    def signs(self) -> np.ndarray:
        return np.where(self.positive, 1.0, -1.0)

    @cached_property
    def _products(self) -> tuple[np.ndarray, np.ndarray]:
        return _products(self.features[~self.positive]), _products(self.features[self.positive])

    def minimum(self, costs: tuple[float, float], within: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and decision values of all rows at the minimum if only the rows ``within`` have slacks.

        ``costs`` are those of unlabeled and labeled rows.
        """
        rows = np.flatnonzero(within)
        beta = np.zeros(len(self.K))
        if len(rows) <= self.features.shape[1]:
            block = self.K[rows]
            system = block[:, rows]
            system.flat[:: len(rows) + 1] += 0.5 / np.take(costs, self.positive[rows])
            beta[rows] = _solve(system, self.signs[rows])
            return beta, beta[rows] @ block
        w = _solve(self._hessian(costs, within), 2 * (np.take(costs, self.positive) * self.signs * within) @ self.features)
        values = self.features @ w
        beta[rows] = (2 * np.take(costs, self.positive) * (self.signs - values))[rows]
        return beta, values

    def _hessian(self, costs: tuple[float, float], within: np.ndarray) -> np.ndarray:
        hessian = np.eye(self.features.shape[1])
        for cost, all_of_it, own in zip(costs, self._products, (~self.positive, self.positive), strict=True):
            inside, outside = self.features[own & within], self.features[own & ~within]
            # multiply the smaller part
            part = _products(inside) if len(inside) < len(outside) else all_of_it - _products(outside)
            hessian += 2 * cost * part
        return hessian


def _products(rows: np.ndarray) -> np.ndarray:
    """Sums of products of features, as a lower triangle."""
    return dsyrk(1.0, rows, trans=1, lower=1) if rows.size else np.zeros((rows.shape[1],) * 2)


def _solve(system: np.ndarray, right: np.ndarray) -> np.ndarray:
    size = float(np.max(system.diagonal()))
    try:
        return cho_solve(cho_factor(system, lower=True, overwrite_a=True, check_finite=False), right, check_finite=False)
    except np.linalg.LinAlgError as error:
        raise ValueError(
            f"ClassWeightedLinearSVC: sums of squares of the features as large as {size:.3g} leave no digits for the "
            "penalties; scale the features."
        ) from error


def squared_slack_path(
    rows: SquaredSlackRows, penalties: Sequence[tuple[float, float]], start: np.ndarray
) -> Iterator[tuple[np.ndarray, int]]:
    """Fit an SVM for each pair of penalties (C_positive, C_unlabeled), from the previous solution or, at first, ``start``.

    Yields the coefficients of the rows, ``w = Σ beta_i x_i``, and the number of steps.
    """
    beta = start
    for c_positive, c_unlabeled in penalties:
        beta, n_steps = _minimize(rows, (c_unlabeled, c_positive), beta)
        yield beta, n_steps


def _minimize(rows: SquaredSlackRows, costs: tuple[float, float], beta: np.ndarray) -> tuple[np.ndarray, int]:
    """Minimize by Newton steps for the current positive slacks, until these no longer change."""
    signs, each = rows.signs, np.take(costs, rows.positive)
    values = rows.K @ beta
    best = _objective(signs, each, beta, values)
    for step in range(1, MAX_STEPS + 1):
        within = signs * values < 1
        target, there = rows.minimum(costs, within)
        if np.array_equal(signs * there < 1, within):
            return target, step
        size = 1.0
        while True:
            tried, at = beta + size * (target - beta), values + size * (there - values)
            reached = _objective(signs, each, tried, at)
            if reached < best:
                break
            size /= 2
            if size < 1e-10:  # only rounding decides which rows at the margin are within it
                return beta, step
        beta, values, best = tried, at, reached
    message = f"ClassWeightedLinearSVC: Newton's method did not end within {MAX_STEPS} steps; scale the features."
    warnings.warn(message, ConvergenceWarning, stacklevel=2)
    return beta, MAX_STEPS


def _objective(signs: np.ndarray, costs: np.ndarray, beta: np.ndarray, values: np.ndarray) -> float:
    slacks = np.maximum(0.0, 1.0 - signs * values)
    return float(0.5 * beta @ values + costs @ slacks**2)
