"""Fitted state and scores of a boosted ensemble of stumps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pulib._base import PUClassifierMixin
from pulib._missing import ACCEPT_MISSING, holds_missing
from pulib._typing import MatrixLike
from pulib.boosting._predict import add_stumps, staged_scores
from pulib.boosting._stump import Round

_SCORED_TYPES = (np.float32, np.float64, np.uint8)
#: Types of ``X`` that validation does not convert.
ROW_TYPES = [np.float64, np.float32, np.bool_, *(np.dtype(kind + size) for kind in "iu" for size in "1248")]


class StumpVotes(PUClassifierMixin):
    """The fitted half of :class:`AdaPUClassifier`: weighted votes of stumps."""

    def _keep(self, rounds: list[Round]) -> None:
        self._rounds = rounds
        self.n_iter_ = len(rounds)
        stumps = [done.stump for done in rounds]
        self.estimator_errors_ = np.array([stump.error for stump in stumps], np.float64)
        self.estimator_weights_ = np.array([done.weight for done in rounds], np.float64)
        self.negative_shares_ = np.array([done.negative_share for done in rounds], np.float64)
        self.estimator_features_ = np.array([stump.feature for stump in stumps], np.intp)
        self.estimator_thresholds_ = np.array([stump.threshold for stump in stumps], np.float64)
        self.estimator_polarities_ = np.array([stump.polarity for stump in stumps], np.int8)
        self.estimator_missing_above_ = np.array([stump.missing_above for stump in stumps], np.bool_)
        self.feature_counts_ = np.bincount(self.estimator_features_, minlength=self.n_features_in_)
        votes = np.bincount(self.estimator_features_, self.estimator_weights_, minlength=self.n_features_in_)
        self.feature_importances_ = votes / max(votes.sum(), np.finfo(float).tiny)

    def _rows(self, X: Any) -> tuple[Any, np.ndarray | None]:
        """Validated rows, and where stumps send missing values if there are any."""
        check_is_fitted(self)
        X = self._validate_predict(X, dtype=ROW_TYPES, **ACCEPT_MISSING)
        missing_above = self.estimator_missing_above_ if holds_missing(X, self) else None
        return X if X.dtype in _SCORED_TYPES else X.astype(np.float64), missing_above

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Weighted vote H(x) of the stumps, minus ``threshold_`` if there is one; above 0 means positive.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples,)
        """
        return self._votes(X) - getattr(self, "threshold_", 0.0)

    def _votes(self, X: MatrixLike) -> np.ndarray:
        X, missing_above = self._rows(X)
        scores = np.zeros(X.shape[0])
        signed = self.estimator_weights_ * self.estimator_polarities_
        add_stumps(X, self.estimator_features_, self.estimator_thresholds_, signed, scores, missing_above)
        return scores

    def staged_decision_function(self, X: MatrixLike) -> Iterator[np.ndarray]:
        """H(x) after each round: ``n_iter_`` arrays of shape (n_samples,).

        The threshold is scaled in proportion to the stumps' weights so far.  In addition to the yielded array, 32 such arrays
        are in memory: 256 bytes per row.
        """
        X, missing_above = self._rows(X)
        signed = self.estimator_weights_ * self.estimator_polarities_
        stages = staged_scores(X, self.estimator_features_, self.estimator_thresholds_, signed, missing_above)
        if not hasattr(self, "threshold_"):
            yield from stages
            return
        so_far = np.cumsum(self.estimator_weights_)
        for share, scores in zip(so_far / so_far[-1], stages, strict=True):
            yield scores - share * self.threshold_

    def staged_predict(self, X: MatrixLike) -> Iterator[np.ndarray]:
        """Labels after each round: ``n_iter_`` arrays of shape (n_samples,)."""
        for scores in self.staged_decision_function(X):
            yield self.classes_[(scores > 0).astype(np.intp)]

    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Probabilities of the classes, in the order of ``classes_``; shape (n_samples, 2).

        The H that minimizes the exponential loss is half the log-odds, so P(y = 1 | x) = 1 / (1 + exp(−2 H(x))).  If the
        training prior is not π, the probabilities still refer to π and are 1/2 at ``threshold_``.
        """
        votes = self._votes(X)
        positive = self._map.predict(votes) if hasattr(self, "_map") else 0.5 * (1 + np.tanh(votes))
        return np.column_stack([1 - positive, positive])
