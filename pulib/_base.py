"""What all estimators share: PU labels in and out, the class prior, and the validation of input.

Labels: the greater of the two values in ``y`` marks labeled positives, the other one unlabeled rows (1/0, 1/-1, True/False, or
any two sortable values).  ``predict`` answers in the same values.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from pulib._typing import ArrayLike, MatrixLike

#: Constraint of the ``prior`` argument, for ``_parameter_constraints``.
PRIOR_CONSTRAINT: list[Any] = [Interval(Real, 0, 1, closed="neither"), None]

#: What scikit-learn's validation sets.
_FEATURES = ("n_features_in_", "feature_names_in_")


def encode_pu_labels(y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Split ``y`` into what is labeled positive and what is not.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Two distinct values; the greater marks labeled positives.

    Returns
    -------
    positive : bool array of shape (n_samples,)
    classes : array of shape (2,), ``[unlabeled, positive]``

    Raises
    ------
    ValueError
        If ``y`` has any other number of distinct values than two, or is continuous.
    """
    y = np.asarray(y)
    check_classification_targets(y)
    target_type = type_of_target(y, input_name="y", raise_unknown=True)
    classes = np.unique(y)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is "
            f"{target_type}: y has {len(classes)} kinds of labels ({_some(classes)}); a PU problem has two, "
            "the greater for labeled positives and the other for unlabeled rows."
        )
    if len(classes) < 2:
        raise ValueError(
            f"y holds one class only ({_some(classes)}): labeled positives and unlabeled rows are both needed, marked 1 and 0."
        )
    return y == classes[1], classes


def _some(values: np.ndarray, most: int = 5) -> str:
    shown = ", ".join(repr(v.item() if hasattr(v, "item") else v) for v in values[:most])
    return shown + (", ..." if len(values) > most else "")


class PUClassifierMixin(ClassifierMixin):
    """Mixin of all PU classifiers: tags, validation, and ``predict`` from ``decision_function``.

    A subclass calls ``_validate_fit`` at the start of ``fit`` and ``_validate_predict`` at the start of whatever scores rows.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _validate_fit(self, X: MatrixLike, y: ArrayLike, *, reset: bool = True, **check_params: Any) -> tuple[Any, np.ndarray]:
        """Check ``X`` and ``y``, set ``classes_`` and ``n_features_in_``.

        Returns ``X`` as asked for by ``check_params`` (those of :func:`sklearn.utils.check_array`) and a boolean vector that is
        true for labeled positives.  With ``reset=False`` (a warm start) ``X`` must have the features of the last ``fit``.
        """
        known = {name: value for name, value in self.__dict__.items() if name in _FEATURES}
        X, y = validate_data(self, X, y, reset=reset, **check_params)
        try:
            positive, self.classes_ = encode_pu_labels(y)
        except ValueError:  # a model that there is stays usable, on its own features
            for name in _FEATURES:
                self.__dict__.pop(name, None)
            self.__dict__.update(known)
            raise
        return X, positive

    def _validate_predict(self, X: MatrixLike, **check_params: Any) -> Any:
        """Check ``X`` against what ``fit`` saw."""
        check_is_fitted(self)
        return validate_data(self, X, reset=False, **check_params)

    def _resolve_prior(self, X: Any, positive: np.ndarray) -> float:
        """The class prior to use: the argument, or an estimate where it is None.  Sets ``prior_``."""
        if self.prior is not None:
            self.prior_ = float(self.prior)
        else:
            from pulib.priors import estimate_prior

            scenario = getattr(self, "scenario", "two_sample")
            self.prior_ = float(estimate_prior(X, positive.astype(int), scenario=scenario))
        return self.prior_

    def predict(self, X: MatrixLike) -> np.ndarray:
        """Labels of the rows of ``X``, in the values that ``fit`` was given.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        y : array of shape (n_samples,)
            ``classes_[1]`` where ``decision_function(X) > 0``, else ``classes_[0]``.
        """
        scores = self.decision_function(X)  # first: it says so where the estimator is not fitted
        return self.classes_[(scores > 0).astype(np.intp)]
