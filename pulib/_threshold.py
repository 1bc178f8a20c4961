"""Thresholds set by π for scores that do not depend on π, and the held-out scores for them.

A learner of "labeled or not" ranks rows well, but its threshold is wrong.  The threshold is set so that a share π is predicted
positive, on scores of the training rows by models that have not seen them.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils._param_validation import Interval, StrOptions

from pulib._early_stopping import as_with_rows
from pulib._equal_rows import rows_held_out_together
from pulib._folds import N_FOLDS, folds_with_extra_rows
from pulib._priors._held_out import prior_from_scores
from pulib._warnings import issue_warning, prior_warning, quiet, repeats_warning, weak_ranking_warning
from pulib._weights import fit_weights, of_rows, ones_for_none, weighted_std

#: Constraints of the arguments of learners whose threshold may be set by π.
THRESHOLD_CONSTRAINTS: dict[str, list[Any]] = {
    "prior": [Interval(Real, 0, 1, closed="neither"), StrOptions({"estimate"}), None],
    "scenario": [StrOptions({"two_sample", "one_sample"})],
}
#: Remedy if rows look repeated, for learners whose ``fit`` accepts no groups.
GROUPS_AROUND = "groups= to the fit of PUThresholdClassifier around it"
_SET_BY_FIT = ("prior_", "prior_estimate_", "threshold_", "slope_")


def cross_fitted_scores(
    estimator: Any,
    X: Any,
    positive: np.ndarray,
    score: Callable[[Any, Any], np.ndarray],
    fit_params: Callable[[np.ndarray], dict[str, Any]] | None = None,
    weights: np.ndarray | None = None,
    negative: np.ndarray | None = None,
    always: np.ndarray | None = None,
    groups: np.ndarray | None = None,
    equal: np.ndarray | None = None,
    folds: int | np.ndarray = N_FOLDS,
    trained: np.ndarray | None = None,
) -> np.ndarray:
    """Score all rows with clones fitted to the other folds.

    Parameters
    ----------
    estimator : estimator
        Clones are fitted to labels 1 and 0.
    X : rows of any kind that scikit-learn can index
    positive : bool array of shape (n_samples,)
    score : callable
        ``score(fitted, rows)``.
    fit_params : callable, optional
        Returns further parameters of ``fit``, given row numbers.
    weights : array of shape (n_samples,), optional
        Row weights for ``fit``.
    negative : bool array of shape (n_samples,), optional
        Rows that get the label -1, for an estimator whose unlabeled label is 0.
    always : bool array of shape (n_samples,), optional
        Rows in no fold: clones are fitted to them, except to siblings of held-out rows, and they get no score.
    groups : array of shape (n_samples,), optional
        Groups are held out as a whole or, without groups, sets of ``equal`` rows.
    folds : int, or int array of shape (n_samples,)
        Number of folds, or the fold of each row.
    trained : bool array of shape (n_samples,), optional
        Unlabeled rows that clones may be fitted to; the others are only scored.  A clone whose training folds contain none of
        these rows is fitted to all.

    Returns
    -------
    scores : float array of shape (n_samples,)
        NaN for rows without a score.

    Raises
    ------
    ValueError
        If a score is not finite.
    """
    (X,) = indexable(X)
    y, scores = positive.astype(np.intp), np.full(len(positive), np.nan)
    if negative is not None:
        y[negative] = -1
    estimator = as_with_rows(estimator, len(positive) if trained is None else int(np.count_nonzero(positive | trained)))
    for train, held_out in folds_with_extra_rows(positive, always, folds, groups, weights, equal):
        if trained is not None and trained[train].any():
            train = train[(positive | trained)[train]]
        params = {} if fit_params is None else fit_params(train)
        params |= fit_weights(estimator, of_rows(weights, train))
        with quiet():
            fitted = clone(estimator).fit(_safe_indexing(X, train), y[train], **params)
        scores[held_out] = finite_scores(score(fitted, _safe_indexing(X, held_out)), fitted)
    return scores


def finite_scores(scores: np.ndarray, estimator: Any) -> np.ndarray:
    """Return the scores; raise an error if one is NaN or infinite, since such scores cannot rank or separate rows."""
    finite = np.isfinite(scores)
    if not finite.all():
        raise ValueError(
            f"{type(estimator).__name__} gives {int(np.count_nonzero(~finite))} of {len(scores)} rows a score that is not "
            f"finite ({np.asarray(scores)[~finite][0]}); rows can be neither ranked nor cut by it. Scale the features, pass "
            "float64 rows, or use another estimator."
        )
    return scores


def on_scale_of(own: np.ndarray, scores: np.ndarray, trained: np.ndarray) -> np.ndarray:
    """Map scores of one model to the scale of another by rank, if only their order is meaningful.

    ``own`` are the other model's scores of its training rows; ``trained`` are those of the model that gave ``scores``.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._threshold import on_scale_of
    >>> own = np.arange(5.0)
    >>> on_scale_of(own, np.array([10.0, 11.5, 14.0]), 10.0 + own)
    array([0. , 1.5, 4. ])
    """
    trained, own = np.sort(trained), np.sort(own)
    before, through = np.searchsorted(trained, scores, "left"), np.searchsorted(trained, scores, "right")
    return np.interp((before + through) / (2.0 * len(trained)), (np.arange(len(own)) + 0.5) / len(own), own)


def cut_at_share(scores: np.ndarray, share: float, weights: np.ndarray | None = None) -> float:
    """Return a threshold between two scores with a share of scores above it as close to ``share`` as ties allow.

    With weights, ``share`` refers to total weight.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._threshold import cut_at_share
    >>> cut_at_share(np.array([0.0, 0.25, 0.75, 1.0]), 0.5)
    0.5
    """
    values, places = np.unique(scores, return_inverse=True)
    if len(values) == 1:
        return float(values[0])
    reached = np.cumsum(np.bincount(places, weights))
    above = reached[-1] - reached[:-1]  # for a cut after each value but the last
    k = int(np.argmin(np.abs(above - share * reached[-1])))
    return between(values[k], values[k + 1], 0.5)


def between(low: Any, high: Any, share: float) -> float:
    """Return a number at a ``share`` of the way from ``low`` to ``high`` that is below ``high`` in the scores' precision.

    Between neighboring floats, return ``low``, since a number in between would be rounded to either.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._threshold import between
    >>> low, high = np.array([-1.5e308, 1.7e308])
    >>> low < between(low, high, 0.5) < high, between(np.float32(1), np.float32(1 + 2**-23), 0.5)
    (np.True_, 1.0)
    """
    with np.errstate(over="ignore"):
        found = low + share * (high - low)
        if not np.isfinite(found):  # the difference overflows
            found = (1.0 - share) * low + share * high
    return float(found) if low <= low.dtype.type(found) < high else float(low)


def fit_slope(
    distance: np.ndarray, positive: np.ndarray, prior: float, scenario: str, weights: np.ndarray | None = None
) -> float:
    """Fit a in ``p = 1 / (1 + exp(-a distance))`` by minimizing the logistic PU risk, which is convex in a.

    The risk is E[log(1 + exp(a d))] over the population minus π a E_P[d], an unbiased estimate of the logistic loss.
    """
    weights = ones_for_none(weights, len(distance))
    counted = slice(None) if scenario == "one_sample" else ~positive
    population, of_population = distance[counted], weights[counted]
    pull = prior * float(np.average(distance[positive], weights=weights[positive]))
    with np.errstate(over="ignore", invalid="ignore"):
        unit = weighted_std(population, of_population)
    if not np.isfinite(unit) or (unit == 0.0 and population.min() < population.max()):  # squares overflow or underflow
        size = float(np.max(np.abs(distance)))
        return fit_slope(distance / size, positive, prior, scenario, weights) / size
    unit = unit or 1.0

    def risk(log_slope: float) -> float:
        slope = np.exp(log_slope) / unit
        return float(np.average(np.logaddexp(0.0, slope * population), weights=of_population) - slope * pull)

    return float(np.exp(minimize_scalar(risk, bounds=(-4.0, 5.0), method="bounded").x) / unit)


class PriorThresholdMixin:
    """Mixin that sets a threshold by π for learners of "labeled or not".  Comes before PUClassifierMixin.

    ``fit`` ends with ``_set_threshold``; ``decision_function`` passes its scores through ``_above_threshold``.
    """

    def _held_out_scores(
        self, X: Any, positive: np.ndarray, fit_params: Callable[[np.ndarray], dict[str, Any]] | None = None
    ) -> np.ndarray:
        """Score the training rows with models that have not seen them; by default, cross-fitted."""
        plain = clone(self).set_params(prior=None, pos_label=None, unlabeled_label=None)
        equal = rows_held_out_together(X, positive, self.prior)  # type: ignore[attr-defined]
        return cross_fitted_scores(
            plain, X, positive, lambda fitted, rows: fitted.decision_function(rows), fit_params, equal=equal
        )

    def _set_threshold(
        self,
        X: Any,
        positive: np.ndarray,
        scores: np.ndarray | None = None,
        fit_params: Callable[[np.ndarray], dict[str, Any]] | None = None,
        weights: np.ndarray | None = None,
    ) -> None:
        """Set ``prior_``, ``threshold_`` and ``slope_`` if ``prior`` is set or held-out scores are given.

        ``weights`` apply to shares and means of held-out rows; ``fit_params`` passes weights to the fits of the folds.
        """
        for name in _SET_BY_FIT:
            self.__dict__.pop(name, None)
        if scores is None and self.prior is None:  # type: ignore[attr-defined]
            return
        if scores is None:
            issue_warning(repeats_warning(X, positive, "the threshold", remedy=GROUPS_AROUND))
            scores = self._held_out_scores(X, positive, fit_params)
        known, scored = np.isfinite(scores), positive
        scores, scored = scores[known], positive[known]
        weighed = of_rows(weights, known)
        scenario = self.scenario  # type: ignore[attr-defined]
        if self.prior in ("estimate", None):  # type: ignore[attr-defined]
            self.prior_estimate_ = prior_from_scores(scores, scored, scenario, weighed)
            self.prior_, messages = self.prior_estimate_.prior, self.prior_estimate_.warnings
        else:
            self.prior_ = float(self.prior)  # type: ignore[attr-defined]
            messages = (prior_warning(self.prior_, positive, scenario, estimated=False, weights=weights),)
        issue_warning(*messages, self._cut_by_prior(scores, scored, weighed))

    def _cut_by_prior(self, scores: np.ndarray, positive: np.ndarray, weights: np.ndarray | None) -> str:
        """Set ``threshold_`` and ``slope_`` from ``prior_`` and held-out scores; return a warning about the ranking, if any."""
        scenario = self.scenario  # type: ignore[attr-defined]
        counted = slice(None) if scenario == "one_sample" else ~positive
        self.threshold_ = cut_at_share(scores[counted], self.prior_, of_rows(weights, counted))
        self.slope_ = fit_slope(self._above_threshold(scores), positive, self.prior_, scenario, weights)
        recall = float(np.average(scores[positive] > self.threshold_, weights=of_rows(weights, positive)))
        return weak_ranking_warning(type(self).__name__, self.prior_, recall, len(scores[counted]))

    def _above_threshold(self, scores: np.ndarray) -> np.ndarray:
        if not hasattr(self, "threshold_"):
            return scores
        with np.errstate(over="ignore"):
            above = scores - self.threshold_
        return above if np.isfinite(above).all() else np.clip(above, np.finfo(above.dtype).min, np.finfo(above.dtype).max)

    def _probabilities_by_prior(self, X: Any) -> np.ndarray:
        """Probabilities that are one half at the threshold."""
        p = expit(self.slope_ * self.decision_function(X))  # type: ignore[attr-defined]
        return np.column_stack([1.0 - p, p])

    def _class_share_warning(self, predicted: np.ndarray) -> str:
        if hasattr(self, "threshold_"):
            return super()._class_share_warning(predicted)  # type: ignore[misc,no-any-return]
        return (
            f"{type(self).__name__} without prior: its threshold separates labeled from unlabeled rows, not positives from "
            f"negatives, and calls {np.count_nonzero(predicted)} of {len(predicted)} rows positive. Pass prior=π, or "
            "prior='estimate', to set it; ranking by decision_function needs neither."
        )
