"""Base classes of the reductions, which pass rows unchanged to a base estimator."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, _fit_context, clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.ensemble._forest import BaseForest
from sklearn.ensemble._gb import BaseGradientBoosting
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.tree import BaseDecisionTree
from sklearn.utils import _safe_indexing, check_consistent_length, get_tags, indexable
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.validation import _num_samples, check_is_fitted

from pulib._base import FEATURES_SEEN, PUClassifierMixin
from pulib._columns import named_columns, refuse_precomputed
from pulib._equal_rows import rows_held_out_together
from pulib._folds import N_FOLDS
from pulib._groups import checked_groups
from pulib._known_negatives import UNLABELED_LABEL_CONSTRAINT, negatives_that_count, split_known_negatives
from pulib._labels import POS_LABEL_CONSTRAINT, TAKE_NEGATIVES
from pulib._routing import params_of_base, params_of_rows, routing_enabled
from pulib._single import warn_of_single
from pulib._sparse import with_short_indices
from pulib._threshold import THRESHOLD_CONSTRAINTS, PriorThresholdMixin, cross_fitted_scores, finite_scores
from pulib._typing import ArrayLike, MatrixLike
from pulib._warnings import issue_warning, repeats_warning
from pulib._weights import of_rows, row_weights


def positive_score(estimator: Any, X: Any) -> np.ndarray:
    """Return the base estimator's scores, above 0 for rows predicted positive."""
    if hasattr(estimator, "decision_function"):
        scores = finite_scores(np.asarray(estimator.decision_function(X), dtype=np.float64), estimator)
        classes = list(getattr(estimator, "classes_", ()))
        return -scores if len(classes) == 2 and _place_of_positive(classes) == 0 else scores
    return positive_probability(estimator, X) - 0.5


def positive_probability(estimator: Any, X: Any) -> np.ndarray:
    """Return probabilities of label 1, or votes of 0 or 1 if the base has no probabilities."""
    classes = list(estimator.classes_)
    place = _place_of_positive(classes)
    if hasattr(estimator, "predict_proba"):
        return finite_scores(np.asarray(estimator.predict_proba(X)[:, place], dtype=np.float64), estimator)
    return (estimator.predict(X) == classes[place]).astype(np.float64)


def _place_of_positive(classes: list[Any]) -> int:
    """Return the place of label 1.  A frozen base may have other labels; its last class is then the positive one."""
    return classes.index(1) if 1 in classes else len(classes) - 1


class BaseReduction(MetaEstimatorMixin, PUClassifierMixin, BaseEstimator):
    """Meta-estimator with the tags of ``estimator``, which validates the rows and may be a pipeline that takes text.

    Subclasses implement ``_fit``, which gets only rows of positive weight, and may override ``_scores`` and ``_probability``.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "pos_label": POS_LABEL_CONSTRAINT,
        "unlabeled_label": UNLABELED_LABEL_CONSTRAINT,
    }

    estimator: Any
    estimator_: Any
    pos_label: Any
    unlabeled_label: Any
    oob_decision_function_: np.ndarray
    #: Known negatives, while ``fit`` runs.
    _negative: np.ndarray | None
    #: Whether ``fit`` always holds rows out in folds, so that results depend on the order of the rows.
    _cross_fits = False
    #: Whether the base gets the user's fit parameters, rather than weights computed by the learner.
    _routes_to_base = True
    #: Whether the learner chooses the rows that the base is fitted to.
    _chooses_rows = False

    @staticmethod
    def _default_estimator() -> Any:
        return ExtraTreesClassifier(100, random_state=0)

    def _base(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        base = self._default_estimator()
        return base.set_fit_request(sample_weight=True) if routing_enabled() and self._routes_to_base else base

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        **params: Any,
    ) -> Self:
        """Fit the base to PU labels, and set the threshold of its scores.

        Parameters
        ----------
        X : rows of any kind that the base takes
        y : array-like of shape (n_samples,)
            PU labels: 1 for labeled positives and 0 for unlabeled rows, or as ``pos_label`` says.
        sample_weight : array-like of shape (n_samples,), number or None, default=None
            Weight of each row.  Weights are passed to the base's ``fit`` (in a pipeline, of its last step), which must accept
            them, and used in the shares and means behind thresholds, estimates and probabilities.  Rows of weight 0 are left
            out.  A common factor matters only if it does to the base: as in scikit-learn, it multiplies the C of a penalized
            model such as LogisticRegression.
        groups : array-like of shape (n_samples,) or None, default=None
            Group of each row, such as the patient it comes from.  Groups are held out as a whole.
        **params : dict
            Passed to the base's ``fit``.  With scikit-learn's metadata routing, the base gets only what it requests of these,
            ``sample_weight`` and ``groups``.

        Returns
        -------
        self : object

        Raises
        ------
        ValueError
            If all labeled or all unlabeled rows have weight 0, a weight is negative or not finite, or the base takes none; if
            too few groups have labeled or unlabeled rows; if the base's scores are not finite; or if the base takes a
            precomputed matrix between rows and would get some of them.

        Warns
        -----
        PUWarning
            If rows are to be held out, look repeated, and no groups are given.
        """
        if _num_samples(X) == 0:
            raise ValueError("X: found 0 sample(s), while a minimum of 2 is required: a labeled and an unlabeled row.")
        takes_negatives = _takes_negatives(self)
        y, negatives = split_known_negatives(y, self.unlabeled_label, self.pos_label) if takes_negatives else (y, None)
        # X is passed on unchanged
        _, positive = self._validate_fit("no_validation", y, negatives_removed=negatives is not None)
        if negatives is not None:
            self.classes_ = negatives.classes
        check_consistent_length(X, positive)
        self.__dict__.pop("oob_decision_function_", None)  # of an earlier fit
        X = with_short_indices(X)
        self._groups = None if groups is None else np.unique(checked_groups(groups, X), return_inverse=True)[1]
        weights = row_weights(sample_weight, X, positive)
        if params and not self._routes_to_base:
            raise TypeError(f"{type(self).__name__}.fit takes no {next(iter(params))}. Leave it out.")
        self._base_params = params_of_base(self, self._base(), weights, groups, params) if self._routes_to_base else {}
        counted = positive
        if self._selects_rows() and not isinstance(self._base(), FrozenEstimator):
            refuse_precomputed(self._base(), type(self).__name__)
        if weights is not None and not weights.all():
            refuse_precomputed(self._base(), type(self).__name__)
            kept = np.flatnonzero(weights)
            self._base_params = params_of_rows(X, self._base_params, kept)
            X, counted, weights = _safe_indexing(indexable(X)[0], kept), positive[kept], weights[kept]
            self._groups = of_rows(self._groups, kept)
        self._negative = negatives_that_count(negatives, sample_weight)
        if groups is None and self._holds_out():
            remedy = f"groups= to {type(self).__name__}.fit"
            issue_warning(repeats_warning(X, counted, "what is set by held-out rows", remedy=remedy))
        try:
            self._fit(X, counted, weights)
        finally:
            del self._groups, self._base_params, self._negative  # they describe the rows, not the model
        if len(counted) < len(positive) and hasattr(self, "oob_decision_function_"):
            scores = np.full(len(positive), np.nan)
            scores[np.asarray(sample_weight) > 0] = self.oob_decision_function_
            self.oob_decision_function_ = scores
        return self

    def _holds_out(self) -> bool:
        return self._cross_fits

    def _selects_rows(self) -> bool:
        """Whether the base is ever fitted to a subset of the rows."""
        return True

    def _held_out_scores_of_base(
        self,
        base: Any,
        X: Any,
        positive: np.ndarray,
        score: Any,
        unsampled: np.ndarray | None = None,
        negative: np.ndarray | None = None,
        folds: int | np.ndarray = N_FOLDS,
        trained: np.ndarray | None = None,
    ) -> np.ndarray:
        """Score all rows with bases that have seen neither them nor their groups; ``negative`` rows get the label -1.

        Unlabeled rows that are not ``trained`` are only scored.
        """
        return cross_fitted_scores(
            base,
            X,
            positive,
            score,
            negative=negative,
            fit_params=lambda rows: params_of_rows(X, self._base_params, rows),
            always=unsampled,
            groups=self._groups,
            equal=rows_held_out_together(X, positive, self.prior) if self._groups is None else None,
            folds=folds,
            trained=trained,
        )

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the metadata that ``fit`` uses itself and passes to the base.

        Returns
        -------
        routing : sklearn.utils.metadata_routing.MetadataRouter
        """
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(estimator=self._base(), method_mapping=mapping) if self._routes_to_base else router

    def _fit(self, X: Any, positive: np.ndarray, weights: np.ndarray | None) -> None:
        """Learn from rows whose weights are positive; ``_negative`` marks known negatives."""
        raise NotImplementedError

    def _unsampled_negatives(self, scenario: str) -> np.ndarray | None:
        """Return the known negatives that belong to no sample and so set no threshold: with two samples, all of them."""
        return None if scenario == "one_sample" else self._negative

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Return scores, above 0 for rows predicted positive.

        Parameters
        ----------
        X : rows of any kind that the base takes

        Returns
        -------
        scores : array of shape (n_samples,)
            Scores of the base, minus the threshold.
        """
        check_is_fitted(self)
        return self._scores(with_short_indices(X)) - getattr(self, "threshold_", 0.0)

    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Return class probabilities.

        Parameters
        ----------
        X : rows of any kind that the base takes

        Returns
        -------
        probabilities : array of shape (n_samples, 2)
        """
        check_is_fitted(self)
        p = self._probability(with_short_indices(X))
        return np.column_stack([1.0 - p, p])

    def _scores(self, X: Any) -> np.ndarray:
        return positive_score(self.estimator_, X)

    def _probability(self, X: Any) -> np.ndarray:
        return positive_probability(self.estimator_, X)

    def _fit_base(self, X: Any, positive: np.ndarray, negative: np.ndarray | None = None) -> Any:
        """Fit a clone of the base to "labeled or not", and copy its number and names of features.

        Known negatives get the label -1 if the base is a PU learner, which would otherwise count them as unlabeled.
        """
        base, known = self._base_and_negatives(negative)
        if in_single_precision(base):
            warn_of_single(X, self, type(base).__name__)
        base, params, y = clone(base), self._base_params, positive.astype(np.intp)
        if known is not None:
            y[known] = -1
        fitted = named_columns(lambda _, rows: base.fit(rows, y, **params), self, X)
        self._take_features(fitted)
        return fitted

    def _base_and_negatives(self, negative: np.ndarray | None) -> tuple[Any, np.ndarray | None]:
        """Return the base, and the known negatives to pass to it: None if it treats all unlabeled rows as negative."""
        base = self._base()
        name = None if negative is None else _place_of_unlabeled_label(base)
        return (base, None) if name is None else (clone(base).set_params(**{name: 0}), negative)

    def _take_features(self, fitted: Any) -> None:
        for name in FEATURES_SEEN:
            self.__dict__.pop(name, None)
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        base = get_tags(self._base()).input_tags
        tags.input_tags.sparse = base.sparse
        tags.input_tags.allow_nan = base.allow_nan
        tags.input_tags.pairwise = base.pairwise
        return tags


def in_single_precision(base: Any) -> bool:
    """Whether a learner converts rows to single precision, as scikit-learn's trees and their ensembles do."""
    return isinstance(base, BaseDecisionTree | BaseForest | BaseGradientBoosting)


def _takes_negatives(learner: Any) -> bool:
    return any(kind.__name__ in TAKE_NEGATIVES for kind in type(learner).__mro__)


def last_step(base: Any) -> tuple[Any, str]:
    """Return the learner that ends a pipeline, or the base itself, and the prefix of its parameters."""
    final, place = base, ""
    while isinstance(final, Pipeline):  # a frozen pipeline has steps, too, but no parameters
        name, final = final.steps[-1]
        place += f"{name}__"
    return final, place


def _place_of_unlabeled_label(base: Any) -> str | None:
    """Return the parameter for known negatives of a PU learner, also if it ends a pipeline; None for other learners."""
    final, place = last_step(base)
    if isinstance(final, FrozenEstimator) or not isinstance(final, PUClassifierMixin):
        return None
    if not _takes_negatives(final):
        raise ValueError(
            f"{type(final).__name__} takes no known negatives, and would count them as unlabeled. Use an ordinary classifier "
            f"or one of {', '.join(TAKE_NEGATIVES)} as estimator, or leave the known negatives out."
        )
    return f"{place}unlabeled_label"


class HeldOutReduction(PriorThresholdMixin, BaseReduction):
    """Learner of "labeled or not", with optional held-out scores and an optional threshold set by π."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseReduction._parameter_constraints,
        **THRESHOLD_CONSTRAINTS,
        "oob_score": ["boolean"],
    }

    prior: Any
    oob_score: bool

    def _keep_held_out(self, X: Any, positive: np.ndarray, weights: np.ndarray | None, scores: np.ndarray | None) -> None:
        """Set the threshold from held-out scores, and keep them; ``scores`` is None if nothing needs them."""
        self._set_threshold(X, positive, None if self.prior is None else scores, weights=weights)
        if self.oob_score and scores is not None:
            self.oob_decision_function_ = self._above_threshold(scores)

    def _holds_out(self) -> bool:
        return bool(self.oob_score) or self.prior is not None

    def _probability(self, X: Any) -> np.ndarray:
        if hasattr(self, "threshold_"):
            return self._probabilities_by_prior(X)[:, 1]
        return self._probability_of_label(X)

    def _probability_of_label(self, X: Any) -> np.ndarray:
        return positive_probability(self.estimator_, X)
