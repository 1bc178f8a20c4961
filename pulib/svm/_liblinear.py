"""LIBLINEAR's class-weighted machine with its defaults, which the RESVM chapter names for CWSVM with the linear kernel."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.svm import LinearSVC

from pulib._base import PUClassifierMixin
from pulib._typing import ArrayLike, MatrixLike, RandomState
from pulib.svm._kernels import PENALTY


class LiblinearSVC(PUClassifierMixin, BaseEstimator):
    """Class-weighted linear SVM as LIBLINEAR solves it unless told otherwise: squared slacks and no bias.

    Without a bias a boundary goes through the origin; what that costs depends on the data.

    Parameters
    ----------
    C_positive, C_unlabeled : float > 0, default=1.0
        Penalties of the squared slacks.
    max_iter : int, default=1000
        LIBLINEAR's limit on its iterations.
    random_state : int, RandomState instance or None, default=None
        Of the order in which coordinates are visited.

    Attributes
    ----------
    classes_ : array of shape (2,)
    coef_ : array of shape (1, n_features)
    n_features_in_ : int

    References
    ----------
    Claesen et al. (2015), section 2.4.1, implementation details.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C_positive": PENALTY,
        "C_unlabeled": PENALTY,
        "max_iter": LinearSVC._parameter_constraints["max_iter"],
        "random_state": ["random_state"],
    }

    def __init__(
        self, *, C_positive: float = 1.0, C_unlabeled: float = 1.0, max_iter: int = 1000, random_state: RandomState = None
    ):
        self.C_positive = C_positive
        self.C_unlabeled = C_unlabeled
        self.max_iter = max_iter
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> LiblinearSVC:
        """Train the machine.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            PU labels: 1 for labeled positives and 0 for unlabeled rows, or as ``pos_label`` says.
        """
        X, positive = self._validate_fit(X, y, dtype=np.float64)
        machine = LinearSVC(
            class_weight={True: self.C_positive, False: self.C_unlabeled},
            fit_intercept=False,
            max_iter=self.max_iter,
            random_state=self.random_state,
        )
        self.coef_ = machine.fit(X, positive).coef_
        return self

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """The machine's value; above 0 means positive.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        values : float array of shape (n_samples,)
        """
        return self._validate_predict(X, dtype=np.float64) @ self.coef_[0]
