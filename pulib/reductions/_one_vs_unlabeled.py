"""Several kinds of positives: rows with one of K labels, and rows without a label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, _fit_context, clone
from sklearn.utils import _safe_indexing, check_consistent_length, indexable
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.validation import check_is_fitted

from pulib._columns import refuse_precomputed
from pulib._known_negatives import UNLABELED_LABEL_CONSTRAINT
from pulib._labels import equal_to, is_missing, known_labels, one_dimensional
from pulib._typing import ArrayLike, MatrixLike
from pulib.trees import PUExtraTreesClassifier


class OneVsUnlabeledClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """One PU learner for each kind of positives, fitted to the rows of that kind and the unlabeled rows.

    ``OneVsRestClassifier`` would treat "unlabeled" as another kind, and labeled rows of other kinds as unlabeled; the unlabeled
    rows would then no longer represent the population.

    Parameters
    ----------
    estimator : PU learner or None, default=None
        None means :class:`pulib.PUExtraTreesClassifier`.
    priors : dict of label to float, or None, default=None
        Share of each kind in the population; shares may add up to less than 1.  None leaves π to the learner.
    unlabeled_label : number, str or bool, default=0
        The label of unlabeled rows; NaN for missing labels.

    Attributes
    ----------
    classes_ : array of shape (n_kinds,)
        The kinds of positives, sorted.
    estimators_ : list of n_kinds fitted learners

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import OneVsUnlabeledClassifier, UnbiasedPUClassifier
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(3, size=900)  # 0 is neither of two kinds
    >>> X = rng.normal(size=(900, 2)) + 4 * np.eye(3)[truth, 1:]
    >>> y = np.where(rng.random(900) < 0.3, truth, 0)
    >>> learner = UnbiasedPUClassifier(scenario="one_sample")
    >>> model = OneVsUnlabeledClassifier(learner, priors={1: 0.39, 2: 0.39}).fit(X, y)
    >>> print(f"accuracy {np.mean(model.predict(X) == truth):.2f}")
    accuracy 0.94
    """

    _several_kinds = True  # for pulib.utils.all_estimators, whose learners accept two kinds of labels
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit", "decision_function"]), None],
        "priors": [Mapping, None],
        "unlabeled_label": UNLABELED_LABEL_CONSTRAINT,
    }

    def __init__(self, estimator: Any = None, *, priors: Mapping[Any, float] | None = None, unlabeled_label: Any = 0) -> None:
        self.estimator = estimator
        self.priors = priors
        self.unlabeled_label = unlabeled_label

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Fit a learner for each kind.

        Parameters
        ----------
        X : rows of any kind that the learner takes
        y : array-like of shape (n_samples,)
            The kind of each labeled row, and ``unlabeled_label`` of the others.

        Raises
        ------
        ValueError
            If no row is labeled or none is unlabeled, if labels are missing but ``unlabeled_label`` is another value, or if
            ``priors`` do not match the kinds or add up to more than 1.
        """
        (X,) = indexable(X)
        values = one_dimensional(y)
        if values is None:
            raise ValueError("y: one label per row is expected.")
        check_consistent_length(X, values)
        known = known_labels(values)
        unlabeled = ~known if is_missing(self.unlabeled_label) else equal_to(values, self.unlabeled_label)
        kinds = np.unique(np.array(values[known & ~unlabeled].tolist()))
        if not unlabeled.any() or not len(kinds) or not (known | unlabeled).all():
            raise ValueError(
                f"unlabeled_label={self.unlabeled_label!r} marks {int(unlabeled.sum())} of {len(values)} rows, and "
                f"{int((~known).sum())} labels are missing; rows with and without a label are needed, the latter marked so."
            )
        priors = {} if self.priors is None else dict(self.priors)
        if priors and (set(priors) != set(kinds.tolist()) or sum(priors.values()) > 1):
            raise ValueError(f"priors={priors!r}: one for each of {kinds.tolist()} is expected, which add up to at most 1.")
        learner = PUExtraTreesClassifier(random_state=0) if self.estimator is None else self.estimator
        refuse_precomputed(learner, type(self).__name__)
        self.estimators_ = []
        for kind in kinds.tolist():
            rows = np.flatnonzero(unlabeled | equal_to(values, kind))
            given = {"prior": priors[kind]} if priors else {}
            of_kind = clone(learner).set_params(**given)
            self.estimators_.append(of_kind.fit(_safe_indexing(X, rows), (~unlabeled[rows]).astype(np.intp)))
        self.classes_ = kinds
        return self

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Return scores of shape (n_samples, n_kinds), above 0 where the kind's learner predicts positive."""
        check_is_fitted(self)
        return np.column_stack([learner.decision_function(X) for learner in self.estimators_])

    def predict(self, X: MatrixLike) -> np.ndarray:
        """Predict the likeliest kind of each row, or ``unlabeled_label`` if no learner predicts positive.

        Kinds are compared by probability, or by score if a learner has no ``predict_proba``.
        """
        scores = self.decision_function(X)
        none = scores.max(axis=1) <= 0
        if all(hasattr(learner, "predict_proba") for learner in self.estimators_):
            scores = np.where(scores > 0, np.column_stack([m.predict_proba(X)[:, 1] for m in self.estimators_]), -np.inf)
        predictions = self.classes_[np.argmax(scores, axis=1)]
        if not none.any():
            return predictions
        label = np.asarray(self.unlabeled_label)
        mixed = (self.classes_.dtype.kind in "SU") != (label.dtype.kind in "SU")  # NaN would become the text "nan"
        predictions = predictions.astype(object if mixed else np.result_type(self.classes_, label))
        predictions[none] = self.unlabeled_label
        return predictions
