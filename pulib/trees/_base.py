"""Parameters, validation and class weights shared by the tree and the forest."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from pulib._base import PRIOR_CONSTRAINT, TRAINING_PRIOR_CONSTRAINT, PUClassifierMixin
from pulib._groups import group_codes
from pulib._known_negatives import UNLABELED_LABEL_CONSTRAINT, split_known_negatives
from pulib._labels import POS_LABEL_CONSTRAINT
from pulib._missing import ACCEPT_MISSING, holds_missing
from pulib._training_prior import TrainingPriorMixin, class_factors
from pulib._trees import _risks
from pulib._trees._data import Data, prepare_data, without_booleans
from pulib._trees._grow import BEST, RANDOM, Rule
from pulib._trees._rows import MAX_ROWS, Rows, rows_of, with_negatives
from pulib._trees._sparse import prepare_sparse
from pulib._typing import ArrayLike, MatrixLike
from pulib._warm_start import RowsSeen, check_same_rows, rows_seen
from pulib._weights import row_weights

_ACCEPTED: dict[str, Any] = {"dtype": [np.float64, np.float32, np.uint8], **ACCEPT_MISSING}
#: Tolerance for rounding error in a share of a count: 0.07 * 100 is slightly above 7.
_ROUNDING = 1e-9


def n_candidate_features(max_features: Any, d: int) -> int:
    """Number of non-constant features to try at a node (F in the paper); roots, logarithms and shares are rounded up."""
    if max_features is None:
        return d
    if max_features == "sqrt":
        return math.ceil(math.sqrt(d))
    if max_features == "log2":
        return max(1, math.ceil(math.log2(d)))
    if isinstance(max_features, Integral):
        return min(int(max_features), d)
    return max(1, math.ceil(max_features * d - _ROUNDING))


class BasePUTrees(TrainingPriorMixin, PUClassifierMixin, BaseEstimator):
    """Parameters and validation of :class:`PUDecisionTreeClassifier` and :class:`PUExtraTreesClassifier`."""

    _rows_seen: RowsSeen

    _parameter_constraints: ClassVar[dict] = {
        "prior": PRIOR_CONSTRAINT,
        "training_prior": TRAINING_PRIOR_CONSTRAINT,
        "pos_label": POS_LABEL_CONSTRAINT,
        "unlabeled_label": UNLABELED_LABEL_CONSTRAINT,
        "scenario": [StrOptions({"two_sample", "one_sample"})],
        "risk": [StrOptions(set(_risks.RISKS))],
        "loss": [StrOptions(set(_risks.LOSSES))],
        "splitter": [StrOptions({"random", "best"})],
        "max_features": [
            StrOptions({"sqrt", "log2"}),
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="right"),
            None,
        ],
        "n_thresholds": [Interval(Integral, 1, None, closed="left")],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags

    def _takes_true_labels(self) -> bool:
        return self.risk == "pn"

    def _prepare_fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        *,
        reset: bool = True,
    ) -> tuple[Data, Rule, Rows]:
        """Validate the arguments and return the data, the rule, and the rows that trees are grown on."""
        X, positive, negative = self._validate_kinds(X, y, reset=reset)
        missing = holds_missing(X, self)
        if X.shape[0] > MAX_ROWS:
            raise ValueError(f"X has {X.shape[0]} rows; at most {MAX_ROWS} are supported. Train on a sample of them.")
        weights, codes = row_weights(sample_weight, X, positive), group_codes(groups, X)
        self._see_rows(positive, reset=reset)
        # of an earlier fit with another risk
        for name in ("prior_", "prior_estimate_", "training_prior_", "_separate_ranking", "threshold_", "_map"):
            self.__dict__.pop(name, None)
        prior = None if self.risk == "pn" else self._resolve_population_prior(X, positive, negative, weights, codes)
        known = negative is not None
        training_prior = None if prior is None else self._resolve_training_prior(prior, balanced=prior, known_negatives=known)
        rows, extra = self._drawn_from(positive, negative, weights, codes)
        data = prepare_sparse(X, missing=missing) if sparse.issparse(X) else prepare_data(X, holds_missing=missing)
        n_p, n_u = len(rows.labeled), len(rows.unlabeled)
        return data, self._make_rule(prior, n_p, n_u, X.shape[1], rows.labeled_counts, extra, training_prior), rows

    def _see_rows(self, positive: np.ndarray, *, reset: bool) -> None:
        """Store the numbers of rows and labels, or check them against the earlier fit."""
        seen = rows_seen(positive)
        if not reset:
            check_same_rows(self._rows_seen, seen, f"{len(getattr(self, 'estimators_', [self]))} trees")
        self._rows_seen = seen

    def _validate_kinds(self, X: Any, y: ArrayLike, *, reset: bool) -> tuple[Any, np.ndarray, np.ndarray | None]:
        """Return validated ``X``, a mask of labeled positives, and one of known negatives, or None if there are none."""
        y, negatives = split_known_negatives(y, self.unlabeled_label, self.pos_label)
        if negatives is not None and self.risk == "pn":
            raise ValueError("unlabeled_label: risk='pn' is for true labels of both classes, and y contains unlabeled rows.")
        X, positive = self._validate_fit(
            without_booleans(X), y, reset=reset, negatives_removed=negatives is not None, **_ACCEPTED
        )
        if negatives is None:
            return X, positive, None
        self.classes_ = negatives.classes
        return X, positive, negatives.rows

    def _drawn_from(
        self, positive: np.ndarray, negative: np.ndarray | None, weights: np.ndarray | None, groups: np.ndarray | None
    ) -> tuple[Rows, float]:
        """Return the rows that trees are grown on, and how many known negatives are outside the population sample."""
        bootstrap = getattr(self, "bootstrap", False)
        rows = rows_of(positive, weights, bootstrap=bootstrap, groups=groups)
        if negative is None:
            return rows, 0.0
        return with_negatives(rows, negative, self.scenario, bootstrap=bootstrap)

    def _rows_of(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None, groups: ArrayLike | None) -> Rows:
        """Return the rows that existing trees were grown on."""
        X, positive, negative = self._validate_kinds(X, y, reset=False)
        weights, codes = row_weights(sample_weight, X, positive), group_codes(groups, X)
        self._see_rows(positive, reset=False)
        return self._drawn_from(positive, negative, weights, codes)[0]

    def _make_rule(
        self,
        prior: float | None,
        n_p: int,
        n_u: int,
        d: int,
        counts: float = 1.0,
        extra: float = 0.0,
        training_prior: float | None = None,
    ) -> Rule:
        """Return the rule, with the weights of section 3.2 in units of one unlabeled row, which keeps most ties exact.

        If the population sample includes labeled rows, each counts as ``counts`` unlabeled rows.  Of the ``n_u`` rows,
        ``extra`` are known negatives outside the population sample; labeled rows then represent π/(1 − π) times as many
        positives, so that both together form a population, too (:mod:`pulib._known_negatives`).

        At another prior π' (:mod:`pulib._training_prior`; section 3 of Su, Chen and Xu, 2021), a node's W_p is multiplied by
        π'/π and its W_n by (1 - π')/(1 - π); the sign of W_n, which the non-negative estimator tests, does not change.  If an
        unlabeled row still weighs 1, labeled rows weigh v = w (π'/π) (1 - π)/(1 - π') instead of w = π n_u/n_p, and
        ``W_p + W_n = n_u + (joined - w + v) n_p``: W_n stays the same.
        """
        if prior is None:
            weight_positive, joined, unit = counts, counts, 1.0 / (counts * n_p + n_u)
        else:
            joined = (counts if self.scenario == "one_sample" else 0.0) + prior / (1.0 - prior) * extra / n_p
            weight_positive, unit = prior * (joined * n_p + n_u) / n_p, 1.0 / (joined * n_p + n_u)
        if prior is not None and training_prior is not None and training_prior != prior:
            of_positive, of_negative = class_factors(prior, training_prior)
            balanced = weight_positive * of_positive / of_negative
            weight_positive, joined, unit = balanced, joined - weight_positive + balanced, unit * of_negative
        return Rule(
            risk=_risks.RISKS.index(self.risk),
            loss=_risks.LOSSES.index(self.loss),
            weight_positive=weight_positive,
            weight_joined=joined,
            weight_unit=unit,
            splitter=RANDOM if self.splitter == "random" else BEST,
            n_candidates=n_candidate_features(self.max_features, d),
            n_thresholds=int(self.n_thresholds),
            inner_thresholds=int(self._draws_inner_thresholds()),
            max_depth=MAX_ROWS if self.max_depth is None else int(self.max_depth),
            min_samples_leaf=int(self.min_samples_leaf),
        )

    def _draws_inner_thresholds(self) -> bool:
        """Whether random thresholds avoid the ends of their range, as in the authors' code; a subclass may override it.

        Let a, b be the two smallest and c, d the two largest distinct values at the node.  Thresholds lie within
        ``[a + 0.4 (b - a), c + 0.6 (d - c)]`` if True, else within [a, d].
        """
        return False

    def _prepare_rows(self, X: Any) -> tuple[Any, bool]:
        """Return validated rows to score (uint8, float32 or float64, dense or sparse), and whether values are missing."""
        X = self._validate_predict(without_booleans(X), **_ACCEPTED)
        return X, holds_missing(X, self)
