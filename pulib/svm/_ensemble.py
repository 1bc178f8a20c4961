"""Shared parts of the two ensembles of SVMs: fitting the members, and the decision value of eq. 2.5."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import gen_even_slices
from sklearn.utils._param_validation import Interval

from pulib._random import draw_seeds
from pulib._threshold import PriorThresholdMixin
from pulib._typing import ArrayLike, MatrixLike, RandomState
from pulib.svm._kernels import PENALTY, SVM_CONSTRAINTS, Kernel, combine, kernel_matrix, resolve_kernel
from pulib.svm._paths import Grid
from pulib.svm._rows import KernelRowsMixin
from pulib.svm._runs import Stop, fit_members
from pulib.svm._search import Plan, draw_rows, iteration_limit, predict_candidates, warn_if_unfinished

ENSEMBLE_CONSTRAINTS: dict[str, list[Any]] = {
    "n_estimators": [Interval(Integral, 1, None, closed="left")],
    "C": PENALTY,
    **SVM_CONSTRAINTS,
    "n_jobs": [None, Integral],
    "random_state": ["random_state"],
}
SIZE: list[Any] = [Interval(Integral, 1, None, closed="left"), None]


def ensemble_values(values: np.ndarray) -> np.ndarray:
    """Decision value d of the ensemble (eq. 2.5) from the members' values ψ, of shape (n_samples, n_members).

    d is the share v of positive votes (eq. 2.4; a value of exactly 0 is half a vote).  If the vote is unanimous, d is the sum
    of the members' values, plus 1 if they are positive.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.svm._ensemble import ensemble_values
    >>> ensemble_values(np.array([[2.0, -1.0], [2.0, 3.0], [-2.0, -3.0], [2.0, 0.0]]))
    array([ 0.5 ,  6.  , -5.  ,  0.75])
    """
    n_members = values.shape[1]
    signs = np.sign(values).sum(axis=1)
    sums = values.sum(axis=1)
    share = (n_members + signs) / (2 * n_members)
    return np.where(signs == n_members, 1.0 + sums, np.where(signs == -n_members, sums, share))


class SVCEnsemble(PriorThresholdMixin, KernelRowsMixin, BaseEstimator):
    """Base class of the ensembles; ``_plan`` of a subclass determines the members' resamples and penalties."""

    @abstractmethod
    def __init__(
        self,
        n_estimators: int,
        *,
        C: float,
        kernel: str,
        gamma: float | str,
        tol: float,
        max_iter: int,
        n_jobs: int | None,
        random_state: RandomState,
    ):
        self.n_estimators = n_estimators
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    @abstractmethod
    def _plan(self, n_positive: int, n_unlabeled: int) -> Plan:
        """Sizes of the resamples, and penalties, for the given numbers of positives and unlabeled rows."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Fit the members.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            PU labels: 1 for labeled positives and 0 for unlabeled rows, or as ``pos_label`` says.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the input is not as described, or the features are so large that the kernel overflows.
        """
        X, positive = self._validate_fit(X, y)
        self._kernel: Kernel = resolve_kernel(self, X)
        plan = self._plan(int(positive.sum()), int((~positive).sum()))
        seeds = draw_seeds(self.random_state, self.n_estimators)
        drawn, n_first = draw_rows(seeds, plan, np.flatnonzero(positive), np.flatnonzero(~positive))
        # the kernel matrix only has the rows that some member has drawn, often a small part of all
        union, places = np.unique(drawn, return_inverse=True)
        coefs, biases, self.n_iter_ = self._fit_members(X[union], places.reshape(drawn.shape).astype(np.int32), n_first, plan)
        used = np.flatnonzero(coefs.any(axis=0))
        self.support_ = union[used]
        self.support_vectors_ = X[self.support_]
        self.dual_coef_ = np.ascontiguousarray(coefs[:, used])
        self.intercept_ = biases
        self.estimators_samples_ = list(drawn)
        self.C_positive_, self.C_unlabeled_ = plan.c_positive, plan.c_unlabeled
        if self.kernel == "linear":
            self.coef_ = self.dual_coef_ @ self.support_vectors_
        else:
            self.__dict__.pop("coef_", None)  # of an earlier fit with another kernel
        self._set_threshold(X, positive)
        return self

    def _fit_members(
        self, X: np.ndarray, drawn: np.ndarray, n_first: int, plan: Plan
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        K = kernel_matrix(self._kernel, X)
        n_members = len(drawn)
        coefs, biases = np.empty((n_members, len(X))), np.empty((2, n_members))
        limit = iteration_limit(self.max_iter, drawn.shape[1])

        grid = Grid(np.array([plan.c_positive]), np.array([plan.c_unlabeled]), float(self.tol), limit)

        def run(part: Any, stop: Stop) -> Any:
            fit_members(K, drawn[part], n_first, grid, coefs[part], biases[:, part], stop)

        n_parts = min(effective_n_jobs(self.n_jobs), n_members)
        with Stop() as stop:
            # the closure writes into arrays of this process, which requires threads regardless of the caller's backend
            parts = (delayed(run)(part, stop) for part in gen_even_slices(n_members, n_parts))
            Parallel(n_jobs=n_parts, require="sharedmem")(parts)
        iterations = biases[1].astype(np.int64)
        warn_if_unfinished(self, iterations, limit)
        return coefs, biases[0].copy(), iterations

    def member_values(self, X: MatrixLike) -> np.ndarray:
        """Decision values ψ of all members.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        values : float array of shape (n_samples, n_estimators)
        """
        X = self._validate_predict(X)
        if self.kernel == "linear":
            return X.astype(np.float64, copy=False) @ self.coef_.T + self.intercept_
        return combine(self._kernel, X, self.support_vectors_, self.dual_coef_, self.intercept_)

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Decision values of the ensemble (eq. 2.5) minus ½ (eq. 2.6), and minus ``threshold_`` if ``prior`` sets one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        values : float array of shape (n_samples,)
            Without ``prior``: the share of positive votes minus ½, or, if the vote is unanimous, the sum of the members' values
            plus ½ (positive) or minus ½ (negative).
        """
        return self._above_threshold(ensemble_values(self.member_values(X)) - 0.5)

    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Shares of the members' votes (eq. 2.4), or class probabilities if ``prior`` sets the threshold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        shares : float array of shape (n_samples, 2)
            Columns as in ``classes_``.
        """
        if hasattr(self, "threshold_"):
            return self._probabilities_by_prior(X)
        share = 0.5 + 0.5 * np.sign(self.member_values(X)).mean(axis=1)
        return np.column_stack([1.0 - share, share])

    _predict_candidates = predict_candidates
