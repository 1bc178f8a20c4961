"""Base of all estimators: PU labels, the class prior, and input validation."""

from __future__ import annotations

from inspect import signature
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import Interval, InvalidParameterError, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

import pulib
from pulib._columns import named_columns
from pulib._frames import ordered_categories, with_ranks
from pulib._known_negatives import population_rows
from pulib._labels import check_named, complete_labels, equal_to, marked_missing, missing_as_unlabeled
from pulib._priors._describe import OWN_GROUPS, describe_prior
from pulib._routing import naming_arguments
from pulib._typing import ArrayLike, MatrixLike
from pulib._warnings import (
    LEAST_SHARE_OF_EXPECTED,
    N_ERRORS,
    compatible,
    issue_warning,
    prior_warning,
    ties_warning,
    unlikely_labels_warning,
)
from pulib._weights import of_rows

#: Constraint of the ``prior`` argument, for ``_parameter_constraints``.
PRIOR_CONSTRAINT: list[Any] = [Interval(Real, 0, 1, closed="neither"), None]
#: Constraint of ``training_prior``: a prior to train at, "auto", or None for π.  The threshold is always set at π.
TRAINING_PRIOR_CONSTRAINT: list[Any] = [Interval(Real, 0, 1, closed="neither"), StrOptions({"auto"}), None]

#: Attributes set by scikit-learn's validation.
FEATURES_SEEN = ("n_features_in_", "feature_names_in_")
#: Key of this library's version in a saved estimator.
_VERSION = "_pulib_version"


def _release(version: str | None) -> str | None:
    """Return a version without its build suffix."""
    return None if version is None else version.split("+")[0]


class PUClassifierMixin(ClassifierMixin):
    """Mixin of all PU classifiers: tags, validation, and ``predict`` from ``decision_function``.

    Subclasses call ``_validate_fit`` at the start of ``fit``, and ``_validate_predict`` at the start of scoring methods.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in ("fit", "partial_fit"):
            if name in cls.__dict__:
                setattr(cls, name, naming_arguments(cls.__dict__[name]))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    #: Whether missing values marked the unlabeled rows in ``fit``.
    _missing_is_unlabeled = False

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), _VERSION: pulib.__version__}  # type: ignore[dict-item]

    def __setstate__(self, state: dict[str, Any]) -> None:
        made_by = state.get(_VERSION)
        if _release(made_by) != _release(pulib.__version__):
            saved_by = f"pulib {made_by}" if made_by else "an earlier version of pulib"
            issue_warning(
                f"This {type(self).__name__} was saved by {saved_by}, and {pulib.__version__} loads it: it may fail or "
                "predict differently. Load it with the version that saved it, or fit it again."
            )
        super().__setstate__({name: value for name, value in state.items() if name != _VERSION})  # type: ignore[misc]

    def _takes_true_labels(self) -> bool:
        """Whether ``y`` contains true labels of both classes."""
        return False

    def _validate_params(self) -> None:
        try:
            super()._validate_params()  # type: ignore[misc]
        except InvalidParameterError as error:
            prior = getattr(self, "prior", None)
            if isinstance(prior, Real) and 1 < float(prior) <= 100:
                raise InvalidParameterError(f"{error} If it is a percentage, pass prior={float(prior) / 100:g}.") from None
            raise

    def _validate_fit(
        self, X: MatrixLike, y: ArrayLike, *, reset: bool = True, negatives_removed: bool = False, **check_params: Any
    ) -> tuple[Any, np.ndarray]:
        """Validate ``X`` and ``y``; set ``classes_`` and ``n_features_in_``.

        Return ``X`` as requested by ``check_params`` (those of :func:`sklearn.utils.check_array`), and a mask of labeled
        positives.  With ``reset=False`` (a warm start), ``X`` must have the features of the last ``fit``.
        ``X="no_validation"`` skips the validation of features.  ``negatives_removed`` means that known negatives were removed
        from ``y`` and its labels checked.
        """
        before = {name: value for name, value in self.__dict__.items() if name in FEATURES_SEEN}
        pos_label = getattr(self, "pos_label", None)
        if not negatives_removed:
            check_named(y, pos_label, getattr(self, "unlabeled_label", None))
        labels = missing_as_unlabeled(y, pos_label)
        categories = ordered_categories(X) if reset else getattr(self, "_categories", {})
        X = with_ranks(X, categories)
        checked = named_columns(validate_data, self, X, y if labels is None else labels[0], reset=reset, **check_params)
        X, y = checked if isinstance(checked, tuple) else (X, checked)
        try:
            positive, self.classes_ = complete_labels(y, pos_label) if labels is None else labels
        except ValueError:  # keep an existing model usable with its own features
            for name in FEATURES_SEEN:
                self.__dict__.pop(name, None)
            self.__dict__.update(before)
            raise
        self._missing_is_unlabeled = labels is not None
        self._labeled_share, self._categories = float(np.mean(positive)), categories
        if not self._takes_true_labels():
            issue_warning(unlikely_labels_warning(positive))
        return X, positive

    def _resolve_population_prior(
        self,
        X: Any,
        positive: np.ndarray,
        negative: np.ndarray | None,
        weights: np.ndarray | None = None,
        groups: np.ndarray | None = None,
    ) -> float:
        """Call :func:`_resolve_prior` without known negatives, unless a single sample makes them part of the population."""
        if negative is None:
            return self._resolve_prior(X, positive, weights, groups)
        rows = population_rows(negative, getattr(self, "scenario", "two_sample"))
        X = X if self.prior is not None else X[rows]  # type: ignore[attr-defined]
        return self._resolve_prior(X, positive[rows], of_rows(weights, rows), of_rows(groups, rows))

    def _validate_predict(self, X: MatrixLike, **check_params: Any) -> Any:
        """Validate ``X`` against the features seen in ``fit``."""
        check_is_fitted(self)
        return named_columns(validate_data, self, with_ranks(X, getattr(self, "_categories", {})), reset=False, **check_params)

    def _resolve_prior(
        self, X: Any, positive: np.ndarray, weights: np.ndarray | None = None, groups: np.ndarray | None = None
    ) -> float:
        """Set and return ``prior_``: the argument, or an estimate from weighted rows, which also sets ``prior_estimate_``.

        Folds and resamples keep ``groups`` whole.
        """
        scenario = getattr(self, "scenario", "two_sample")
        self.__dict__.pop("prior_estimate_", None)
        if self.prior is not None:
            self.prior_ = float(self.prior)
            messages: tuple[str, ...] = (prior_warning(self.prior_, positive, scenario, estimated=False, weights=weights),)
        else:
            takes_groups = "groups" in signature(self.fit).parameters  # type: ignore[attr-defined]
            self.prior_estimate_ = describe_prior(
                X,
                positive,
                scenario=scenario,
                groups=groups,
                sample_weight=weights,
                remedy=OWN_GROUPS if takes_groups else "groups= to pulib.estimate_prior, and its estimate as prior=",
                n_jobs=getattr(self, "n_jobs", None),
            )
            self.prior_ = self.prior_estimate_.prior
            messages = self.prior_estimate_.warnings
        issue_warning(*messages)
        return self.prior_

    def _prior_text(self) -> str:
        """Describe π in a message, with its interval if it is an estimate."""
        estimate = self.__dict__.get("prior_estimate_")
        text = f"prior_={self.prior_:.3g}"
        return text if estimate is None else f"{text} (estimated; {estimate.low:.3g} to {estimate.high:.3g})"

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        estimate = self.__dict__.get("prior_estimate_")
        return super().__repr__(N_CHAR_MAX) + ("" if estimate is None else f"  # {estimate}")  # type: ignore[call-arg]

    def predict(self, X: MatrixLike) -> np.ndarray:
        """Predict labels, in the values given to ``fit``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        y : array of shape (n_samples,)
            ``classes_[1]`` where ``decision_function(X) > 0``, ``classes_[0]`` elsewhere.
        """
        scores = self.decision_function(X)  # first: it raises an error if the estimator is not fitted
        predicted = scores > 0
        issue_warning(self._class_share_warning(predicted) or self._ties_warning(scores))
        return self.classes_[predicted.astype(np.intp)]

    def _ties_warning(self, scores: np.ndarray) -> str:
        prior = getattr(self, "prior_", None)
        return "" if prior is None else ties_warning(type(self).__name__, prior, scores)

    def _class_share_warning(self, predicted: np.ndarray) -> str:
        """Return a warning if significantly fewer rows are predicted to be of the rarer class than π implies."""
        prior, n = getattr(self, "prior_", None), len(predicted)
        if prior is None:
            return ""
        rarer = prior <= 0.5
        expected, found = n * min(prior, 1 - prior), int(np.count_nonzero(predicted == rarer))
        if found >= LEAST_SHARE_OF_EXPECTED * expected or expected - found <= N_ERRORS * np.sqrt(expected):
            return ""
        kinds = ("positive", "negative") if rarer else ("negative", "positive")
        calls = f"{found} of {n} rows {kinds[0]}" if found else f"every row {kinds[1]}"
        remedy = "." if hasattr(self, "threshold_") else ", or set the threshold by π with PUThresholdClassifier."
        if rarer and getattr(self, "training_prior", "auto") != "auto":
            remedy = (
                ". Scores that are learned at such a small prior rank rows poorly, and another threshold would not help: use "
                "training_prior='auto' (or 0.5), which trains at a balanced prior and sets the threshold by π."
            )
        return (
            f"{type(self).__name__} calls {calls}, but with {self._prior_text()} about {expected:.0f} of {n} should be "
            f"{kinds[0]}. Unless these rows have another class mix than the training rows, check π, and whether the features "
            f"vary and are scaled (make_pipeline(StandardScaler(), ...)){remedy}"
        )

    def score(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy given true labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            True labels, in the values given to ``fit``.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        accuracy : float

        Warns
        -----
        PUWarning
            If the share of positives in ``y`` matches that of labeled rows in ``fit`` and not π.  Then ``y`` probably contains
            PU labels (as in ``GridSearchCV`` without ``scoring``), and hidden positives count as errors.
        """
        positive = equal_to(y, self.classes_[1])
        share, n = float(np.mean(positive)), len(positive)
        looks_alike = compatible(share, getattr(self, "_labeled_share", np.nan), n) and not self._takes_true_labels()
        if looks_alike and not compatible(share, getattr(self, "prior_", np.nan), n):
            issue_warning(
                f"{type(self).__name__}.score: y looks like PU labels ({share:.3g} of them positive, as in fit). Accuracy "
                "against these counts every unlabeled positive as an error. Pass scoring=pulib.metrics.PUScorer(...) to "
                "scikit-learn's searches, use PUGridSearchCV, or score rows with true labels."
            )
        if self._missing_is_unlabeled or marked_missing(y):  # any other label means the other class
            y = self.classes_[positive.astype(np.intp)]
        return super().score(X, y, sample_weight)
