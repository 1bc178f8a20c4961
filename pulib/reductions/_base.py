"""What the reductions share: a base estimator that gets the rows as they came, and its scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.utils import check_consistent_length, get_tags
from sklearn.utils.validation import _num_samples, check_is_fitted

from pulib._base import PUClassifierMixin, named_columns
from pulib._typing import ArrayLike, MatrixLike

#: What scikit-learn's validation sets in the base.
_FEATURES = ("n_features_in_", "feature_names_in_")


def positive_score(estimator: Any, X: Any) -> np.ndarray:
    """Scores above 0 for positive, from what the base estimator offers."""
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(X), dtype=np.float64)
    if hasattr(estimator, "predict_proba"):
        return positive_probability(estimator, X) - 0.5
    return estimator.predict(X).astype(np.float64) - 0.5


def positive_probability(estimator: Any, X: Any) -> np.ndarray:
    """Probabilities of label 1; votes of 0 or 1 where the base has none."""
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(X)[:, list(estimator.classes_).index(1)], dtype=np.float64)
    return (estimator.predict(X) == 1).astype(np.float64)


class BaseReduction(MetaEstimatorMixin, PUClassifierMixin, BaseEstimator):
    """Around ``estimator``, whose tags it has: what validates rows is the base, which may be a pipeline that takes text."""

    estimator: Any
    #: Whether ``fit`` holds rows out in folds, which depend on the order of the rows, whatever the parameters are.
    _cross_fits = False

    @staticmethod
    def _default_estimator() -> Any:
        return ExtraTreesClassifier(100, random_state=0)

    def _base(self) -> Any:
        return self._default_estimator() if self.estimator is None else self.estimator

    def _labeled_rows(self, X: MatrixLike, y: ArrayLike) -> np.ndarray:
        """Which rows are labeled positive; ``X`` is left as it came."""
        if _num_samples(X) == 0:
            raise ValueError("X: found 0 sample(s), while a minimum of 2 is required: a labeled and an unlabeled row.")
        _, positive = self._validate_fit("no_validation", y)
        check_consistent_length(X, positive)
        return positive

    def _fit_base(self, X: Any, positive: np.ndarray) -> Any:
        """A clone of the base, fitted to "labeled or not"; sets what it learned of the features."""
        fitted = named_columns(lambda _, rows: clone(self._base()).fit(rows, positive.astype(np.intp)), self, X)
        self._take_features(fitted)
        return fitted

    def _take_features(self, fitted: Any) -> None:
        for name in _FEATURES:
            self.__dict__.pop(name, None)
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))

    def _fitted(self) -> Any:
        check_is_fitted(self)
        return self.estimator_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        base = get_tags(self._base()).input_tags
        tags.input_tags.sparse = base.sparse
        tags.input_tags.allow_nan = base.allow_nan
        return tags
