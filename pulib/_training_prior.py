r"""Training at another prior π' than the population's π: the ranking is learned at π', threshold and probabilities at π.

If positives are rare, the PU risk is minimal if nearly every row is predicted negative.  A tree's votes, a round of Ada-PU and
the double hinge then learn nothing that ranks rows.  The balanced PU risk (Su, Chen and Xu, IJCAI 2021, section 3) weights the
classes as in a population with a share π' of positives and the same class-conditional distributions:

    R'(g) = π' E_P ℓ(g, +1) + (1 - π') / (1 - π) (E_U ℓ(g, -1) - π E_P ℓ(g, -1)).

Since E_U = π E_P + (1 - π) E_N, the second term is (1 - π') E_N ℓ(g, -1).  The paper uses π' = 1/2.  The non-negative estimator
clips the second term at zero, as at π, because its factor is positive.  With π' = π, this is the usual risk.

Each learner applies the two factors: trees to the counts of a node (``pulib.trees._base``), Ada-PU to the initial weights
(``pulib.boosting._weights``), and linear models to row weights (:func:`hinge_weights`).  For trees, "auto" means π: their
splits separate classes at any π, although the majorities of their leaves do not (``pulib.trees._shares``).

A threshold for π' is wrong for π.  It is therefore set on scores of rows that the model has not seen, so that a share π of the
population is above it.  This needs no negative labels.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from inspect import signature
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from pulib._calibration import fit_share
from pulib._equal_rows import rows_held_out_together
from pulib._folds import held_out_folds
from pulib._threshold import GROUPS_AROUND, on_scale_of
from pulib._warnings import coarse_scores_warning, issue_warning, repeats_warning, ties_warning, weak_ranking_warning
from pulib._weights import fit_weights, of_rows

#: If π is below this, "auto" learns the ranking separately from the threshold and trains Ada-PU at π' = 1/2 (docs/inside.md).
RARE = 0.125
BALANCED = 0.5
#: Attributes that a fit sets.
_SET_BY_FIT = ("threshold_", "_map")


def separate_ranking(training_prior: float | str | None, prior: float) -> bool:
    """Whether the ranking is learned separately from the threshold at π.

    Examples
    --------
    >>> from pulib._training_prior import separate_ranking
    >>> [separate_ranking(training_prior, 0.01) for training_prior in ("auto", 0.5, None)]
    [True, True, False]
    >>> separate_ranking("auto", 0.3)
    False
    """
    return prior < RARE if training_prior == "auto" else training_prior is not None


def class_factors(prior: float, training_prior: float) -> tuple[float, float]:
    """Return the factors π'/π and (1 - π')/(1 - π) of the positive and negative parts of the risk at π.

    Examples
    --------
    >>> from pulib._training_prior import class_factors
    >>> class_factors(0.25, 0.25), class_factors(0.25, 0.5)
    ((1.0, 1.0), (2.0, 0.6666666666666666))
    """
    return training_prior / prior, (1.0 - training_prior) / (1.0 - prior)


def hinge_weights(prior: float, training_prior: float) -> tuple[float, float]:
    """Return the weights of ℓ(-g) on labeled and on unlabeled rows, for losses with ℓ(z) - ℓ(-z) = -z; they add up to 1.

    With k = (1 - π')/(1 - π), the balanced risk is -π' E_P g + (π' - kπ) E_P ℓ(-g) + k E_U ℓ(-g), convex if π' >= π.
    """
    k = class_factors(prior, training_prior)[1]
    return (0.0, 1.0) if training_prior == prior else (training_prior - k * prior, k)


def can_hold_out(positive: np.ndarray, weights: np.ndarray | None = None) -> bool:
    """Whether both kinds have at least two rows; otherwise, thresholds are set on training rows."""
    positive = positive if weights is None else positive[weights > 0]
    return bool(min(np.count_nonzero(positive), np.count_nonzero(~positive)) >= 2)


class TrainingPriorMixin:
    """Mixin for learners with ``training_prior``.  Comes before PUClassifierMixin.

    ``fit`` calls ``_resolve_training_prior`` when π is known, and ends with ``_set_threshold_at_prior`` or ``_set_map``.
    """

    _sets_threshold = True
    _separate_ranking = False

    def _resolve_training_prior(self, prior: float, balanced: float = BALANCED, known_negatives: bool = False) -> float:
        """Set ``training_prior_`` and delete thresholds of an earlier fit.

        If positives are rare, "auto" means ``balanced``.  With known negatives, whose weights are those of the usual risk, it
        is π.
        """
        for name in _SET_BY_FIT:
            self.__dict__.pop(name, None)
        given: Any = self.training_prior  # type: ignore[attr-defined]
        if known_negatives:
            if isinstance(given, Real):
                issue_warning(
                    f"{type(self).__name__}: training_prior={given:.3g} has no effect with known negatives, which are "
                    "learned from at π. Leave it out, or fit without unlabeled_label."
                )
            given = None
        self._separate_ranking = separate_ranking(given, prior)
        self.training_prior_ = (balanced if given == "auto" else float(given)) if self._separate_ranking else prior
        return self.training_prior_

    def _without_threshold(self, **params: Any) -> Any:
        """Return an unfitted copy with the same π and π' that sets no threshold."""
        kind = type(self)
        bare: Any = type(kind.__name__, (kind,), {"_sets_threshold": False, "__module__": kind.__module__})
        given = self.get_params(deep=False)  # type: ignore[attr-defined]
        fixed = {
            **{"prior": self.prior_, "training_prior": self.training_prior_, "warm_start": False},  # type: ignore[attr-defined]
            **dict.fromkeys(("pos_label", "unlabeled_label")),
        }
        return bare(**{**given, **{name: value for name, value in (fixed | params).items() if name in given}})

    def _set_threshold_at_prior(
        self,
        X: Any,
        positive: np.ndarray,
        weights: np.ndarray | None,
        score: Callable[[Any, Any], np.ndarray],
        groups: np.ndarray | None = None,
    ) -> None:
        """Set ``threshold_`` and the map to probabilities, from cross-fitted scores on the scale of the model's scores.

        ``score(fitted, rows)`` returns scores without a threshold.
        """
        if not (self._separate_ranking and self._sets_threshold):
            return
        self._warn_of_repeats(X, positive, groups)
        own, scores = score(self, X), np.empty(len(positive))
        if not can_hold_out(positive, weights):
            self._set_map(fit_share, own, positive, weights)
            return
        bare, y = self._without_threshold(), positive.astype(np.intp)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the fit has already warned
            equal = rows_held_out_together(X, positive, self.prior) if groups is None else None  # type: ignore[attr-defined]
            for train, held_out in held_out_folds(positive, groups=groups, weights=weights, equal=equal):
                rows = _safe_indexing(X, train)
                fitted = clone(bare).fit(rows, y[train], **fit_weights(bare, of_rows(weights, train)))
                scores[held_out] = on_scale_of(own, score(fitted, _safe_indexing(X, held_out)), score(fitted, rows))
        self._set_map(fit_share, scores, positive, weights)

    def _warn_of_repeats(self, X: Any, positive: np.ndarray, groups: np.ndarray | None) -> None:
        """Warn about near-duplicates in different folds, unless an estimate of π has already warned."""
        if groups is None and "prior_estimate_" not in self.__dict__:
            takes_groups = "groups" in signature(self.fit).parameters  # type: ignore[attr-defined]
            remedy = f"groups= to {type(self).__name__}.fit" if takes_groups else GROUPS_AROUND
            issue_warning(repeats_warning(X, positive, "the threshold", remedy=remedy))

    def _set_map(
        self, fit_map: Callable[..., tuple[Any, float]], scores: np.ndarray, positive: np.ndarray, weights: np.ndarray | None
    ) -> None:
        """Set ``threshold_`` and ``_map`` from held-out scores; warn if the ranking is too weak."""
        kept = np.isfinite(scores) if weights is None else np.isfinite(scores) & (weights > 0)
        scores, positive, weights = scores[kept], positive[kept], of_rows(weights, kept)
        joined = self.scenario == "one_sample"  # type: ignore[attr-defined]
        prior: float = self.prior_  # type: ignore[attr-defined]
        self._map, self.threshold_ = fit_map(scores, positive, prior, joined, weights)
        if self._separate_ranking:
            counted = np.ones_like(positive) if joined else ~positive
            population, of_population = scores[counted], of_rows(weights, counted)
            called = float(np.average(population > self.threshold_, weights=of_population))
            recall = float(np.average(scores[positive] > self.threshold_, weights=of_rows(weights, positive)))
            name, n = type(self).__name__, len(population)
            message = ties_warning(name, prior, population, of_population) or coarse_scores_warning(name, prior, called, n)
            issue_warning(message or weak_ranking_warning(name, prior, recall, n))
