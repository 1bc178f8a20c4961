"""Mapping convergence: grow the negative set inward, from rows far from all positives (Yu, Han and Chang, 2002)."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.svm import OneClassSVM
from sklearn.utils._param_validation import Interval

from pulib._sizes import check_sizes
from pulib._threshold import PriorThresholdMixin
from pulib._typing import ArrayLike, MatrixLike
from pulib._warnings import quiet
from pulib.svm._class_weighted import ClassWeightedSVC
from pulib.svm._kernels import PENALTY, SVM_CONSTRAINTS
from pulib.svm._rows import KernelRowsMixin

#: Maximum number of rounds in the convergence stage.
MAX_ROUNDS = 100


class MappingConvergenceSVC(PriorThresholdMixin, KernelRowsMixin, BaseEstimator):
    """PU-SVM by mapping convergence: a chain of SVMs, each of which adds the rows that it rejects to the negatives of the next.

    Mapping stage: a one-class SVM on the positives marks the unlabeled rows that are least like them as strong negatives.
    Convergence stage: an SVM is trained on positives and negatives, the unlabeled rows that it rejects join the negatives, and
    so on until it rejects none (at most 100 rounds).  The boundary is then as close to the positives as gaps in the data allow.

    Parameters
    ----------
    C : float > 0, default=1.0
        Penalty on the slack of all rows.
    negative_fraction : float in (0, 1), default=0.1
        Share of the unlabeled rows that the mapping stage marks as strong negatives (at least one row).
    nu : float in (0, 1], default=0.1
        Upper bound on the share of positives that the one-class SVM leaves outside.
    kernel : {"linear", "rbf"} or callable, default="rbf"
    gamma : {"scale", "auto"} or float > 0, default="scale"
    tol : float > 0, default=1e-3
    max_iter : int, default=-1
        Limit on the solver's iterations; -1 for LIBSVM's limit.
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
    estimator_ : ClassWeightedSVC
        The last SVM of the chain.
    negative_ : int array
        Rows of ``X`` that were negatives in the training of the last SVM.
    n_rounds_ : int
        Number of SVMs trained.
    n_iter_ : int
        Largest number of iterations of any of them.
    n_features_in_ : int
    prior_, threshold_, slope_ : float
        π, the threshold, and the slope of the log-odds above it; only with ``prior``.
    prior_estimate_ : PriorEstimate
        π with its interval, if ``fit`` estimated it.

    Notes
    -----
    The paper finds strong negatives by words that are frequent among positives (1-DNF).  Because numeric rows have no words, a
    one-class SVM replaces this step, as in Yu's later work (Single-class classification with mapping convergence, Machine
    Learning 61, 2005).

    References
    ----------
    Yu, Han and Chang, PEBL: positive example based learning for web page classification using SVM (KDD 2002).

    Examples
    --------
    >>> from pulib import MappingConvergenceSVC, make_circle_noise
    >>> X, y = make_circle_noise(50, 100, random_state=0)
    >>> machine = MappingConvergenceSVC(C=10).fit(X, y)
    >>> print(f"{(machine.predict(X) == y).mean():.0%} of the training labels predicted")
    95% of the training labels predicted
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": PENALTY,
        "negative_fraction": [Interval(Real, 0, 1, closed="neither")],
        "nu": [Interval(Real, 0, 1, closed="right")],
        **SVM_CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        negative_fraction: float = 0.1,
        nu: float = 0.1,
        kernel: str = "rbf",
        gamma: float | str = "scale",
        tol: float = 1e-3,
        max_iter: int = -1,
        pos_label: Any = None,
        prior: float | str | None = None,
        scenario: str = "two_sample",
        unlabeled_label: Any = None,
    ):
        self.C = C
        self.negative_fraction = negative_fraction
        self.nu = nu
        self.kernel = kernel
        self.gamma = gamma
        self.tol = tol
        self.max_iter = max_iter
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label
        self.prior = prior
        self.scenario = scenario

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> MappingConvergenceSVC:
        """Fit the chain of SVMs.

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
            If the input is not as described.
        """
        X, positive = self._validate_fit(X, y)
        check_sizes(X, self)
        shared = {name: getattr(self, name) for name in ("kernel", "gamma", "tol", "max_iter")}
        unlabeled = np.flatnonzero(~positive)
        one_class = OneClassSVM(nu=self.nu, **shared).fit(X[positive])
        likeness = one_class.decision_function(X[unlabeled])
        n_strong = max(1, round(self.negative_fraction * len(unlabeled)))
        strong = np.argsort(likeness, kind="stable")[:n_strong]
        rows = np.flatnonzero(positive)
        negative, rest = unlabeled[strong], np.delete(unlabeled, strong)
        self.n_rounds_ = 0
        self.n_iter_ = 1
        while True:
            train = np.concatenate([rows, negative])
            machine = ClassWeightedSVC(C_positive=self.C, C_unlabeled=self.C, **shared)
            with quiet():
                self.estimator_ = machine.fit(X[train], np.repeat([1, 0], [len(rows), len(negative)]))
            rejected = self.estimator_.decision_function(X[rest]) <= 0 if len(rest) else np.zeros(0, dtype=bool)
            self.n_rounds_ += 1
            self.n_iter_ = max(self.n_iter_, int(np.max(self.estimator_.n_iter_)))
            if not rejected.any() or self.n_rounds_ == MAX_ROUNDS:
                break
            negative, rest = np.concatenate([negative, rest[rejected]]), rest[~rejected]
        self.negative_ = np.sort(negative)
        self._set_threshold(X, positive)
        return self

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Decision values of the last SVM, minus the threshold if ``prior`` sets one; above 0 means positive.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        values : float array of shape (n_samples,)
        """
        X = self._validate_predict(X)
        return self._above_threshold(self.estimator_.decision_function(X))
