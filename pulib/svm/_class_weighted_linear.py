"""Class-weighted linear SVM as in LIBLINEAR, which the RESVM chapter names for CWSVM with the linear kernel.

Squared slacks make the objective smooth, and without a bias the dual has no equality constraint.  Newton's method on the
coefficients of the rows within the margin (Chapelle, 2007) then ends at the optimum, whereas LIBLINEAR's solver often stops at
its limit of 1,000 iterations.  The cost of a step is one Cholesky decomposition, with as many equations as there are rows
within the margin or features, whichever are fewer.  A search shares one kernel matrix, and each candidate starts from its
neighbor's solution.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.blas import dsyrk
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array
from threadpoolctl import threadpool_limits

from pulib._known_negatives import UNLABELED_LABEL_CONSTRAINT
from pulib._labels import POS_LABEL_CONSTRAINT
from pulib._sizes import check_finite_scores, check_sizes
from pulib._threshold import THRESHOLD_CONSTRAINTS, PriorThresholdMixin
from pulib._typing import ArrayLike, MatrixLike
from pulib._warnings import issue_warning
from pulib.svm._kernels import PENALTY, Kernel, kernel_matrix
from pulib.svm._rows import ACCEPTED, KernelRowsMixin, dense_rows
from pulib.svm._search import cut_folds

#: Maximum number of Newton steps; about ten are usual.
MAX_STEPS = 200


class ClassWeightedLinearSVC(PriorThresholdMixin, KernelRowsMixin, BaseEstimator):
    """Class-weighted linear SVM with squared slacks and no bias, as in LIBLINEAR by default.

    Section 2.4.1, implementation details.  Without a bias, the boundary goes through the origin, unless ``prior`` moves it; the
    loss of accuracy depends on the data.  Each fit reaches the optimum, and the fits of a search over penalties share their
    work.

    Parameters
    ----------
    C_positive : float > 0, default=1.0
        C_P, the penalty on the squared slack of labeled positives.
    C_unlabeled : float > 0, default=1.0
        C_U, the penalty on the squared slack of unlabeled rows.
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows, needed with ``pos_label`` unless it is missing.
    prior : float in (0, 1), "estimate" or None, default=None
        π, the share of positives in the population.  If given, the threshold is set on cross-fitted scores of the training
        rows, so that this share of the population is predicted positive.  "estimate" estimates π from the same scores.  None
        keeps the learner's own threshold.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows represent the population, or the labeled and unlabeled rows together do.  Used with
        ``prior``.

    Attributes
    ----------
    classes_ : array of shape (2,)
    coef_ : array of shape (1, n_features)
    n_iter_ : int
        Number of Newton steps.
    n_features_in_ : int
    prior_, threshold_, slope_ : float
        π, the threshold, and the slope of the log-odds above it; only with ``prior``.
    prior_estimate_ : PriorEstimate
        π with its interval, if ``fit`` estimated it.

    See Also
    --------
    ClassWeightedSVC : The hinge loss with a bias, for any kernel.

    References
    ----------
    Claesen et al., A robust ensemble approach to learn from positive and unlabeled data using SVM base models (2015); Fan et
    al., LIBLINEAR: a library for large linear classification (2008); Chapelle, Training a support vector machine in the primal
    (2007).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from pulib import ClassWeightedLinearSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> svm = ClassWeightedLinearSVC(C_positive=0.1, C_unlabeled=0.01).fit(scale(X), y)
    >>> print(f"{(svm.predict(scale(X)) == y).mean():.0%} of the training labels predicted")
    98% of the training labels predicted
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C_positive": PENALTY,
        "C_unlabeled": PENALTY,
        "pos_label": POS_LABEL_CONSTRAINT,
        "unlabeled_label": UNLABELED_LABEL_CONSTRAINT,
        **THRESHOLD_CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        C_positive: float = 1.0,
        C_unlabeled: float = 1.0,
        pos_label: Any = None,
        prior: float | str | None = None,
        scenario: str = "two_sample",
        unlabeled_label: Any = None,
    ):
        self.C_positive = C_positive
        self.C_unlabeled = C_unlabeled
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label
        self.prior = prior
        self.scenario = scenario

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> ClassWeightedLinearSVC:
        """Fit the SVM.

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
            If the input is not as described, or squares of the features are too large for a float.
        MemoryError
            If the kernel matrix of the rows would not fit in memory.
        """
        X, positive = self._validate_fit(X, y)
        check_sizes(X, self)
        rows = SquaredSlackRows.of(X, positive)
        with one_thread():
            (beta, self.n_iter_), *_ = squared_slack_path(rows, [(self.C_positive, self.C_unlabeled)], np.zeros(len(X)))
        self.coef_ = (beta @ X)[None]
        self._set_threshold(X, positive)
        return self

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Decision values, minus the threshold if ``prior`` sets one; above 0 means positive.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        values : float array of shape (n_samples,)
        """
        X = self._validate_predict(X).astype(np.float64, copy=False)
        with np.errstate(over="ignore", invalid="ignore"):
            return self._above_threshold(check_finite_scores(X @ self.coef_[0], self))

    def _predict_candidates(
        self, X: Any, positive: np.ndarray, fold: np.ndarray, candidates: Sequence[Mapping[str, Any]], n_jobs: int | None = None
    ) -> np.ndarray | None:
        """Out-of-fold predictions of all candidates, as in :func:`pulib.svm._search.predict_candidates`."""
        machines = [clone(self).set_params(**candidate) for candidate in candidates]
        for machine in machines:
            machine._validate_params()
        if any(machine.prior is not None for machine in machines):
            return None
        X = dense_rows(check_array(X, **ACCEPTED))
        check_sizes(X, self)
        rows = SquaredSlackRows.of(X, positive)
        penalties = [(machine.C_positive, machine.C_unlabeled) for machine in machines]
        order = sorted(range(len(machines)), key=lambda k: penalties[k][::-1])  # neighbors differ little
        path = [penalties[k] for k in order]
        predictions = np.zeros((len(machines), len(positive)), dtype=bool)

        def run(train: np.ndarray, held_out: np.ndarray) -> None:
            block = rows.K[np.ix_(held_out, train)]
            for k, (beta, _) in zip(order, squared_slack_path(rows.part(train), path, start[train]), strict=True):
                predictions[k, held_out] = block @ beta > 0

        folds = [(cut.train, np.flatnonzero(fold == f)) for f, cut in enumerate(cut_folds(fold, positive))]
        with one_thread():
            (start, _), *_ = squared_slack_path(rows, path[:1], np.zeros(len(positive)))
            # the closure writes into an array of this process, which requires threads regardless of the caller's backend
            Parallel(n_jobs=n_jobs, require="sharedmem")(delayed(run)(*each) for each in folds)
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

    @classmethod
    def of(cls, X: np.ndarray, positive: np.ndarray) -> SquaredSlackRows:
        K = kernel_matrix(Kernel("linear"), X, np.float64)[:, : len(X)]
        return cls(K, X[:, X.any(axis=0)].astype(np.float64, copy=False), positive)

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
            "penalties; scale the features: make_pipeline(StandardScaler(), ClassWeightedLinearSVC(...))."
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
    issue_warning(
        f"ClassWeightedLinearSVC: Newton's method did not end within {MAX_STEPS} steps; scale the features.",
        category=ConvergenceWarning,
    )
    return beta, MAX_STEPS


def _objective(signs: np.ndarray, costs: np.ndarray, beta: np.ndarray, values: np.ndarray) -> float:
    slacks = np.maximum(0.0, 1.0 - signs * values)
    return float(0.5 * beta @ values + costs @ slacks**2)
