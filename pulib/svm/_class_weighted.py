"""Class-weighted SVM: separate penalties for positives and unlabeled rows (section 2.2.1)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.svm import SVC

from pulib._threshold import PriorThresholdMixin
from pulib._typing import ArrayLike, MatrixLike
from pulib._weights import ones_for_none, weighted_rows
from pulib.svm._kernels import PENALTY, SVM_CONSTRAINTS, Kernel, combine, kernel_matrix, resolve_kernel
from pulib.svm._paths import Grid, Sample, Solutions
from pulib.svm._rows import KernelRowsMixin
from pulib.svm._runs import run_interruptibly, solve_path
from pulib.svm._search import Plan, iteration_limit, predict_candidates, warn_if_unfinished

#: With more rows than this (a kernel matrix of 1 GiB), scikit-learn's SVC is used, which only keeps part of the matrix.
MATRIX_ROWS = 16384


class ClassWeightedSVC(PriorThresholdMixin, KernelRowsMixin, BaseEstimator):
    """Support vector machine that treats unlabeled rows as negatives with their own penalty for errors.

    Section 2.2.1, eq. 2.1; introduced for PU data by Liu et al. (2003) as biased SVM.

    Parameters
    ----------
    C_positive : float > 0, default=1.0
        C_P, the penalty on the slack of labeled positives.
    C_unlabeled : float > 0, default=1.0
        C_U, the penalty on the slack of unlabeled rows.
    kernel : {"linear", "rbf"} or callable, default="rbf"
        A callable maps arrays of shapes (n, d) and (m, d) to kernel values of shape (n, m), such as those of
        :mod:`sklearn.metrics.pairwise`.
    gamma : {"scale", "auto"} or float > 0, default="scale"
        γ of the rbf kernel, as in scikit-learn's SVC.
    tol : float > 0, default=1e-3
        Largest violation of optimality at which a fit stops, as in LIBSVM.
    max_iter : int, default=-1
        Limit on the solver's iterations; -1 for LIBSVM's limit (ten million, or 100 per row if that is more).
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
    support_ : int array of shape (n_support,)
        Rows with a non-zero coefficient.
    support_vectors_ : array of shape (n_support, n_features)
    dual_coef_ : array of shape (1, n_support)
        y α of the support vectors.
    intercept_ : array of shape (1,)
    coef_ : array of shape (1, n_features)
        Weights; linear kernel only.
    n_iter_ : int
    n_features_in_ : int
    prior_, threshold_, slope_ : float
        π, the threshold, and the slope of the log-odds above it; only with ``prior``.
    prior_estimate_ : PriorEstimate
        π with its interval, if ``fit`` estimated it.

    See Also
    --------
    RobustEnsembleSVC : An ensemble that tolerates contaminated positives.

    References
    ----------
    Claesen et al., A robust ensemble approach to learn from positive and unlabeled data using SVM base models (2015); Liu
    et al., Building text classifiers using positive and unlabeled examples (ICDM 2003).

    Examples
    --------
    >>> from pulib import ClassWeightedSVC, make_circle_noise
    >>> X, y = make_circle_noise(50, 100, random_state=0)
    >>> svm = ClassWeightedSVC(C_positive=10, C_unlabeled=1, gamma=0.5).fit(X, y)
    >>> print(f"{(svm.predict(X) == y).mean():.0%} of the training labels predicted")
    96% of the training labels predicted
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"C_positive": PENALTY, "C_unlabeled": PENALTY, **SVM_CONSTRAINTS}

    def __init__(
        self,
        *,
        C_positive: float = 1.0,
        C_unlabeled: float = 1.0,
        kernel: str = "rbf",
        gamma: float | str = "scale",
        tol: float = 1e-3,
        max_iter: int = -1,
        pos_label: Any = None,
        prior: float | str | None = None,
        scenario: str = "two_sample",
        unlabeled_label: Any = None,
    ):
        self.C_positive = C_positive
        self.C_unlabeled = C_unlabeled
        self.kernel = kernel
        self.gamma = gamma
        self.tol = tol
        self.max_iter = max_iter
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label
        self.prior = prior
        self.scenario = scenario

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> ClassWeightedSVC:
        """Fit the SVM.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            PU labels: 1 for labeled positives and 0 for unlabeled rows, or as ``pos_label`` says.
        sample_weight : array-like of shape (n_samples,), optional
            Factor of each row's penalty, as in scikit-learn's SVC (all weights 3 mean three times both penalties), and its
            weight if ``prior`` sets the threshold.  Rows of weight 0 are left out.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the input is not as described, the features are so large that the kernel overflows, or a weight is negative or
            not finite.
        """
        X, positive = self._validate_fit(X, y)
        n = len(X)
        X, positive, weights = weighted_rows(sample_weight, X, positive)
        copies = ones_for_none(weights, len(positive))
        self._kernel: Kernel = resolve_kernel(self, X)
        if len(X) > MATRIX_ROWS:
            coefs, bias, self.n_iter_ = self._fit_by_libsvm(X, positive, copies)
        else:
            coefs, bias, self.n_iter_ = self._fit_in_memory(X, positive, copies)
        support = np.flatnonzero(coefs)
        self.support_ = support if len(X) == n else np.flatnonzero(sample_weight)[support]  # type: ignore[arg-type]
        self.support_vectors_ = X[support]
        self.dual_coef_ = coefs[support][None]
        self.intercept_ = np.array([bias])
        if self.kernel == "linear":
            self.coef_ = self.dual_coef_ @ self.support_vectors_
        else:
            self.__dict__.pop("coef_", None)  # of an earlier fit with another kernel
        fold_weights = None if weights is None else lambda rows: {"sample_weight": weights[rows]}
        self._set_threshold(X, positive, fit_params=fold_weights, weights=weights)
        return self

    def _fit_in_memory(self, X: np.ndarray, positive: np.ndarray, copies: np.ndarray) -> tuple[np.ndarray, float, int]:
        K = kernel_matrix(self._kernel, X)
        n, width = K.shape
        y, bounds, diagonal = np.zeros(width), np.zeros(width), np.zeros(width, dtype=K.dtype)
        y[:n], bounds[:n] = np.where(positive, 1.0, -1.0), copies
        diagonal[:n] = K.diagonal()
        beta, F = np.empty((1, width)), np.empty((1, width))
        bias, steps, sources = np.empty(1), np.empty(1, dtype=np.int64), np.empty(1, dtype=np.int64)
        limit = iteration_limit(self.max_iter, n)
        grid = Grid(np.array([float(self.C_positive)]), np.array([float(self.C_unlabeled)]), float(self.tol), limit)
        solve_path(Sample(K, diagonal, y, bounds), grid, Solutions(beta, F, bias, steps, sources), np.empty((6, width)))
        warn_if_unfinished(self, steps, limit)
        return beta[0, :n], float(bias[0]), int(steps[0])

    def _fit_by_libsvm(self, X: np.ndarray, positive: np.ndarray, copies: np.ndarray) -> tuple[np.ndarray, float, int]:
        svm = SVC(
            C=1.0,
            class_weight={True: self.C_positive, False: self.C_unlabeled},
            kernel=self.kernel,
            gamma=self._kernel.gamma or "scale",
            tol=self.tol,
            max_iter=self.max_iter,
            cache_size=1000,
        )
        # LIBSVM has no way to be stopped, but it reads these rows whenever it needs a kernel value, and NaN ends its search
        rows = np.array(X, dtype=np.float64, order="C")
        run_interruptibly(lambda: svm.fit(rows, positive, sample_weight=copies), stop=lambda: rows.fill(np.nan))
        coefs = np.zeros(len(X))
        coefs[svm.support_] = svm.dual_coef_[0]
        return coefs, float(svm.intercept_[0]), int(svm.n_iter_[0])

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Decision values ψ(x), minus the threshold if ``prior`` sets one; above 0 means positive.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        values : float array of shape (n_samples,)
        """
        X = self._validate_predict(X)
        if self.kernel == "linear":
            return self._above_threshold(X.astype(np.float64, copy=False) @ self.coef_[0] + self.intercept_[0])
        return self._above_threshold(combine(self._kernel, X, self.support_vectors_, self.dual_coef_, self.intercept_)[:, 0])

    def _plan(self, n_positive: int, n_unlabeled: int) -> Plan:
        return Plan(None, None, float(self.C_positive), float(self.C_unlabeled))

    _predict_candidates = predict_candidates
