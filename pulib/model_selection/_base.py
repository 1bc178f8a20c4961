"""Base class of both searches: folds, scores without negatives, and the choice of the best candidate."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, MetaEstimatorMixin, _fit_context, clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, check_is_fitted, indexable, validate_data

from pulib._base import PUClassifierMixin
from pulib._equal_rows import equal_rows, folds_of_units
from pulib._labels import check_named, complete_labels, missing_as_unlabeled
from pulib._routing import params_of_rows, routing_enabled
from pulib._typing import ArrayLike, MatrixLike
from pulib._warnings import issue_warning, quiet, repeats_warning
from pulib._weights import fit_weights
from pulib.metrics import PUScorer
from pulib.metrics._contradictions import collected_into, plainest
from pulib.metrics._formulas import FORMULAS
from pulib.metrics._scorer import own_attribute
from pulib.model_selection._edges import parameters_on_edge
from pulib.model_selection._folds import PUGroupKFold
from pulib.model_selection._scores import BATCH_SCORES

#: Metrics that need no options.
_SCORINGS = {name for name, formula in FORMULAS.items() if "k" not in formula.options}


def _has(name: str) -> Callable[[Any], bool]:
    def check(self: Any) -> bool:
        getattr(self.best_estimator_ if hasattr(self, "best_estimator_") else self.estimator, name)
        return True

    return check


class BasePUSearchCV(MetaEstimatorMixin, PUClassifierMixin, BaseEstimator):
    """Base class of searches; subclasses list the candidates."""

    #: Whether to score all candidates together if the estimator can.
    _shares: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit"])],
        "scoring": [StrOptions(_SCORINGS), callable],
        "cv": ["cv_object"],
        "refit": ["boolean"],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
    }

    @abstractmethod
    def _candidates(self) -> list[dict[str, Any]]:
        """Parameter settings to try, in order."""

    @abstractmethod
    def _space(self) -> Mapping | Sequence[Mapping]:
        """The grid or the distributions of the candidates."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: MatrixLike, y: ArrayLike, **params: Any) -> Self:
        """Score all candidates by cross-validation, and fit the best one on all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            PU labels: 1 for labeled positives and 0 for unlabeled rows, or as ``pos_label`` says.
        **params : dict
            ``groups``, to keep groups within folds; ``sample_weight``, for the estimator's ``fit`` and for PU scores; and other
            parameters of the estimator's ``fit``.  With scikit-learn's metadata routing, parameters go where they are
            requested.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the input is not as described, there are no candidates or folds, or a fold has no labeled positives.

        Warns
        -----
        PUWarning
            If rows look repeated and neither ``groups`` nor a splitter is given, or if a fold's score is impossible or NaN.
        """
        given, y = indexable(X, y)
        pos_label = own_attribute(self.estimator, "pos_label", None)
        check_named(y, pos_label, own_attribute(self.estimator, "unlabeled_label", None))
        labels = missing_as_unlabeled(y, pos_label)
        params = {name: value for name, value in params.items() if value is not None}
        check_consistent_length(given, *(params[name] for name in ("groups",) if name in params))
        if "sample_weight" in params:
            params["sample_weight"] = _check_sample_weight(params["sample_weight"], given)
        fit_params, score_params, split_params = self._route(params)
        # learners whose candidates share work have this method: see pulib.svm._search.predict_candidates
        can_share = self._shares and self.scoring in BATCH_SCORES and hasattr(self.estimator, "_predict_candidates")
        can_share = can_share and not fit_params and not score_params
        X, checked = validate_data(
            self,
            given,
            y if labels is None else labels[0],
            accept_sparse=True,
            dtype=None,
            ensure_all_finite=can_share,  # otherwise left to the estimator: a pipeline may impute missing values
        )
        y = checked if labels is None else np.asarray(y)
        positive, self.classes_ = complete_labels(y, pos_label) if labels is None else labels
        folds = self._folds(X, positive.astype(np.intp), split_params)
        if "groups" not in params and (self.cv is None or isinstance(self.cv, Integral)):
            remedy = f"groups= to {type(self).__name__}.fit"
            issue_warning(repeats_warning(given, positive, "scores", remedy=remedy))
        candidates, self.n_splits_ = self._candidates(), len(folds)
        if not folds or not candidates:
            raise ValueError(
                f"{type(self).__name__} has {len(candidates)} candidates and {len(folds)} folds; at least one of each is "
                "needed. If cv is an iterator, an earlier fit has used it up: pass a list of (train, test), or a number."
            )
        for number, (train, held_out) in enumerate(folds):
            lack = "" if positive[held_out].any() else "holds out no labeled positives"
            lack = lack or ("" if 0 < positive[train].sum() < len(positive[train]) else "trains on one kind of rows")
            if lack:
                raise ValueError(
                    f"fold {number} {lack}; there are {int(positive.sum())} labeled positives: use a smaller cv, "
                    "cv=PUGroupKFold(...) if whole groups are held out, or label more rows"
                )
        fold = _partition(folds, len(y))
        start = time.perf_counter()
        predictions = None
        if can_share and fold is not None:
            predictions = self.estimator._predict_candidates(X, positive, fold, candidates, self.n_jobs)
        self.shares_kernel_ = predictions is not None
        if predictions is not None:
            score = BATCH_SCORES[self.scoring]
            scores = np.column_stack([score(predictions[:, held_out], positive[held_out]) for _, held_out in folds])
        else:
            # X as given, since a pipeline may select columns by name
            scores = self._score_one_by_one(given, y, folds, candidates, fit_params, score_params)
        self.search_time_ = time.perf_counter() - start
        lost = int(np.count_nonzero(np.isnan(scores).any(axis=1)))
        if lost:
            issue_warning(
                f"{type(self).__name__}: scoring={self.scoring!r} gave NaN for {lost} of {len(candidates)} candidates, which "
                "rank last. Check the scoring, and the parameters in cv_results_."
            )
        self._conclude(candidates, scores)
        if self.refit:
            start = time.perf_counter()
            best = clone(self.estimator).set_params(**clone(self.best_params_, safe=False))
            self.best_estimator_ = best.fit(given, y, **fit_params)
            self.refit_time_ = time.perf_counter() - start
        return self

    def _splitter(self, *, grouped: bool) -> Any:
        cv = self.cv
        if cv is None or isinstance(cv, Integral):
            n, state = 10 if cv is None else int(cv), 0 if self.random_state is None else self.random_state
            return PUGroupKFold(n, random_state=state) if grouped else StratifiedKFold(n, shuffle=True, random_state=state)
        return check_cv(cv, classifier=True)

    def _folds(self, X: Any, y: np.ndarray, params: dict[str, Any] | None = None) -> list[tuple[np.ndarray, np.ndarray]]:
        params = params or {}
        n = 10 if self.cv is None else self.cv
        if "groups" not in params and isinstance(n, Integral) and n <= np.count_nonzero(y):
            units, state = equal_rows(X), self.random_state
            folds = None if units is None else folds_of_units(y == 1, units, int(n), 0 if state is None else state)
            if folds is not None:
                return folds
        return list(self._splitter(grouped="groups" in params).split(X, y, **params))

    def _scorer(self) -> Callable:
        if not isinstance(self.scoring, str):
            return check_scoring(self.estimator, self.scoring)
        scorer = PUScorer(self.scoring)
        return scorer.set_score_request(sample_weight=True) if routing_enabled() else scorer

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the metadata that ``fit`` passes to the estimator, the splitter and the scorer.

        Returns
        -------
        routing : sklearn.utils.metadata_routing.MetadataRouter
        """
        router, scorer = MetadataRouter(owner=self), self._scorer()
        router.add(estimator=self.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit"))
        router.add(splitter=self._splitter(grouped=True), method_mapping=MethodMapping().add(caller="fit", callee="split"))
        if hasattr(scorer, "get_metadata_routing"):
            router.add(scorer=scorer, method_mapping=MethodMapping().add(caller="fit", callee="score"))
        return router

    def _route(self, params: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        """Return the parameters of the estimator's fit, of the scorer and of the splitter."""
        if not params:
            return {}, {}, {}
        if routing_enabled():
            routed = process_routing(self, "fit", **params)
            score = dict(routed["scorer"]["score"]) if "scorer" in routed else {}
            return dict(routed["estimator"]["fit"]), score, dict(routed["splitter"]["split"])
        rest = {name: value for name, value in params.items() if name not in ("sample_weight", "groups")}
        weights, groups = params.get("sample_weight"), params.get("groups")
        weight_params = {} if weights is None else {"sample_weight": weights}
        return (
            {**rest, **fit_weights(self.estimator, weights)},
            weight_params if isinstance(self._scorer(), PUScorer) else {},
            {} if groups is None else {"groups": groups},
        )

    def _score_one_by_one(
        self,
        X: Any,
        y: np.ndarray,
        folds: Any,
        candidates: Sequence[Mapping[str, Any]],
        fit_params: dict[str, Any],
        score_params: dict[str, Any],
    ) -> np.ndarray:
        scorer, messages = self._scorer(), set[str]()

        def run(parameters: Mapping[str, Any], train: Any, held_out: np.ndarray) -> Any:
            fitted = clone(self.estimator).set_params(**clone(parameters, safe=False))
            with quiet() if self.refit else nullcontext():
                fitted.fit(_safe_indexing(X, train), _safe_indexing(y, train), **params_of_rows(X, fit_params, train))
            with collected_into(messages), quiet():
                params = params_of_rows(X, score_params, held_out)
                return scorer(fitted, _safe_indexing(X, held_out), _safe_indexing(y, held_out), **params)

        jobs = (delayed(run)(parameters, *fold) for parameters in candidates for fold in folds)
        scores = Parallel(n_jobs=self.n_jobs, prefer="threads")(jobs)
        issue_warning(*plainest(messages))
        return np.array(scores, dtype=np.float64).reshape(len(candidates), len(folds))

    def _conclude(self, candidates: list[dict[str, Any]], scores: np.ndarray) -> None:
        """Set the public attributes from scores of shape (n_candidates, n_folds)."""
        mean = scores.mean(axis=1)
        names = sorted({name for parameters in candidates for name in parameters})
        columns = {f"param_{name}": np.ma.MaskedArray(np.empty(len(mean)), mask=True, dtype=object) for name in names}
        for row, parameters in enumerate(candidates):
            for name, value in parameters.items():
                columns[f"param_{name}"][row] = value
        self.cv_results_ = {
            **columns,
            "params": candidates,
            **{f"split{f}_test_score": scores[:, f] for f in range(scores.shape[1])},
            "mean_test_score": mean,
            "std_test_score": scores.std(axis=1),
            "rank_test_score": rankdata(-np.nan_to_num(mean, nan=-np.inf), method="min").astype(np.int32),
        }
        self.best_index_ = int(np.argmax(np.nan_to_num(mean, nan=-np.inf)))
        self.best_params_ = candidates[self.best_index_]
        self.best_score_ = float(mean[self.best_index_])
        self.on_edge_ = parameters_on_edge(self._space(), self.best_params_)

    def _best(self) -> Any:
        check_is_fitted(self)
        if not self.refit:
            raise AttributeError("refit=False: no estimator was fitted on all rows; fit one with best_params_")
        return self.best_estimator_

    @available_if(_has("decision_function"))
    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Return the best estimator's scores, above 0 for rows predicted positive.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        values : float array of shape (n_samples,)
        """
        return self._best().decision_function(X)

    @available_if(_has("predict_proba"))
    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Return the best estimator's class probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        probabilities : float array of shape (n_samples, 2)
        """
        return self._best().predict_proba(X)

    def predict(self, X: MatrixLike) -> np.ndarray:
        """Predict labels with the best estimator.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        y : array of shape (n_samples,)
        """
        return self._best().predict(X)


def _partition(folds: list[tuple[np.ndarray, np.ndarray]], n: int) -> np.ndarray | None:
    """Return the fold that holds out each row; None if folds overlap, omit rows, or do not train on all other rows."""
    fold = np.full(n, -1)
    for number, (train, held_out) in enumerate(folds):
        if np.any(fold[held_out] >= 0) or not np.array_equal(train, np.setdiff1d(np.arange(n), held_out)):
            return None
        fold[held_out] = number
    return fold if np.all(fold >= 0) else None
