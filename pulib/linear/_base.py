"""Shared parts of the linear PU classifiers: scores, probabilities for the logistic loss, and CSR input."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.utils import gen_batches
from sklearn.utils.metaestimators import available_if

from pulib._base import PUClassifierMixin
from pulib._sizes import check_finite_scores, check_sizes
from pulib._training_prior import TrainingPriorMixin
from pulib._typing import ArrayLike, MatrixLike

#: Validation of ``X`` in ``fit`` and ``partial_fit``.
ACCEPTED_ROWS: dict[str, Any] = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "order": "C"}
#: Training prior of the double hinge with "auto" if positives are rare; 1/2 gives a few labels too much weight
#: (docs/inside.md).
_BALANCED_PRIOR = 0.2
#: Rows per matrix product if rows and weights differ in type.
_ROWS = 1024


def canonical_csr(X: Any) -> Any:
    """Sum duplicate entries of a sparse ``X``, in a copy; return any other ``X`` unchanged."""
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _has_probabilities(estimator: Any) -> bool:
    if estimator.loss != "logistic":
        raise AttributeError(
            f"predict_proba needs loss='logistic', whose score is a log-odds; this {type(estimator).__name__} has "
            f"loss={estimator.loss!r}"
        )
    return True


class LinearPUClassifierMixin(TrainingPriorMixin, PUClassifierMixin):
    """Mixin for scores w·φ(x) + b, from ``coef_`` and an ``intercept_`` that includes any threshold."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _validate_fit(self, X: MatrixLike, y: ArrayLike, **check_params: Any) -> tuple[Any, np.ndarray]:
        X, positive = super()._validate_fit(X, y, **check_params)
        check_sizes(X, self)
        return X, positive

    def _resolve_training_prior(self, prior: float, balanced: float = _BALANCED_PRIOR, known_negatives: bool = False) -> float:
        """As in other learners, but "auto" trains at π for Gaussian bases and for smooth losses, which rank well at any π."""
        gaussian = getattr(self, "basis", "linear") == "gaussian"
        training = super()._resolve_training_prior(prior, prior if gaussian else balanced, known_negatives)
        if self.training_prior == "auto" and self.loss != "double_hinge":
            training, self.training_prior_, self._separate_ranking = prior, prior, False
        if training < prior:
            raise ValueError(
                f"training_prior={training:g} is less than the prior {prior:.3g}: the balanced risk would not be convex. Use "
                "training_prior='auto', None, or a float from the prior on."
            )
        return training

    def _scores_before_threshold(self, X: MatrixLike) -> np.ndarray:
        """Scores without the threshold."""
        return self.decision_function(X) + getattr(self, "threshold_", 0.0)

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Scores g(x) of the rows of ``X``; above 0 means positive.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        Returns
        -------
        scores : float array of shape (n_samples,)

        Raises
        ------
        ValueError
            If a score is too large for a float.
        """
        X = self._validate_predict(X, accept_sparse="csr", dtype=[np.float64, np.float32])
        with np.errstate(over="ignore", invalid="ignore"):
            return check_finite_scores(self._scores(self._features(X)), self)

    def _scores(self, features: Any) -> np.ndarray:
        if sparse.issparse(features) or features.dtype == np.float64:
            return np.asarray(features @ self.coef_[0] + self.intercept_[0], dtype=np.float64).ravel()
        scores = np.empty(len(features))
        for part in gen_batches(len(features), _ROWS):  # the product makes a copy as float64
            scores[part] = features[part] @ self.coef_[0]
        return scores + self.intercept_[0]

    def _features(self, X: Any) -> Any:
        return X

    @available_if(_has_probabilities)
    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Probabilities of the two classes; only for ``loss="logistic"``, whose score estimates the log-odds.

        If the training prior is not π, the probabilities still refer to π and are 1/2 at the threshold.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        Returns
        -------
        probabilities : float array of shape (n_samples, 2), in the order of ``classes_``
        """
        scores = self.decision_function(X)
        if hasattr(self, "_map"):
            p = self._map.predict(scores + self.threshold_)
            return np.column_stack([1.0 - p, p])
        return np.column_stack([expit(-scores), expit(scores)])
