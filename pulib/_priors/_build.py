"""Fit a method to rows: select the rows, and compute scores, trees or a kernel."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import _safe_indexing, check_consistent_length, indexable
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from pulib._folds import folds_of_rows, held_out_in
from pulib._labels import POS_LABEL_CONSTRAINT
from pulib._priors._density_ratio import DensityRatio
from pulib._priors._from_scores import BestBin, ElkanNoto
from pulib._priors._kernel_mean import build_kernel_mean
from pulib._priors._rows import accepts_missing, check_rows, group_numbers
from pulib._priors._scores import out_of_fold_scores
from pulib._priors._subtypes import Subtypes, cells_of
from pulib._priors._tice import build_tice
from pulib._weights import effective_count, effective_weights, of_rows, ones_for_none

#: Methods and the default maximum number of rows of each kind; the kernel methods need a matrix of all pairs.
METHODS = {
    "best_bin": 5_000,
    "best_bin_paper": 5_000,
    "best_bin_binomial": 50_000,
    "elkan_noto": 5_000,
    "dedpul": 5_000,
    "by_subtype": 5_000,
    "tice": 20_000,
    "km1": 400,
    "km2": 400,
}
#: If the unlabeled rows contain fewer positives than the first number, best bin uses up to the second number of them.
_FEW_POSITIVES, _MOST_IF_RARE = 100, 50_000
#: Methods that use the scores of a classifier.
SCORED = ("best_bin", "best_bin_paper", "best_bin_binomial", "elkan_noto", "dedpul", "by_subtype")
#: Whether best bin uses binomial bounds; None: if positives are rare.
_BINOMIAL = {"best_bin": None, "best_bin_paper": False, "best_bin_binomial": True}

CONSTRAINTS: dict[str, list] = {
    "X": "no_validation",  # type: ignore[dict-item]
    "y": ["array-like"],
    "method": [StrOptions(set(METHODS))],
    "scenario": [StrOptions({"two_sample", "one_sample"})],
    "groups": ["array-like", None],
    "sample_weight": ["array-like", Real, None],
    "classifier": [HasMethods(["fit", "predict_proba"]), HasMethods(["fit", "decision_function"]), None],
    "cv": ["cv_object"],
    "max_samples": [Interval(Integral, 2, None, closed="left"), StrOptions({"auto"}), None],
    "random_state": [Interval(Integral, 0, 2**32 - 1, closed="both")],
    "n_jobs": [Integral, None],
    "pos_label": POS_LABEL_CONSTRAINT,
}


class Built(NamedTuple):
    """A fitted method and its rows, with a mask of labeled ones, and groups and weights if given.

    The weights of each kind of rows sum to its effective number of rows.
    """

    method: Any
    X: Any
    positive: np.ndarray
    groups: np.ndarray | None
    weights: np.ndarray | None = None


def build_method(
    X: Any,
    positive: np.ndarray,
    method: str,
    *,
    groups: Any = None,
    weights: np.ndarray | None = None,
    classifier: Any = None,
    cv: Any = 5,
    max_samples: int | str | None = "auto",
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Built:
    """Fit a method, and return it with the rows that it used, which all have positive weight."""
    scored = method in SCORED
    families = None if groups is None else group_numbers(groups, positive)
    folds = held_out_in(cv, X, positive, groups)
    if weights is not None and not weights.all():
        check_consistent_length(X, positive)
        counted = np.flatnonzero(weights)
        X, positive, weights = _safe_indexing(indexable(X)[0], counted), positive[counted], weights[counted]
        families, folds = of_rows(families, counted), folds_of_rows(folds, counted)
    X = check_rows(X, positive, classifier, missing=scored and accepts_missing(classifier), scored=scored)
    most = METHODS[method] if max_samples == "auto" else max_samples
    looking = {"classifier": classifier, "folds": folds, "random_state": random_state, "n_jobs": n_jobs}
    built = _build_on(X, positive, families, weights, method, (most, most), **looking)
    rare = method == "best_bin" and _hidden_positives(built) < _FEW_POSITIVES
    if rare and max_samples == "auto" and (~positive).sum() > most:  # type: ignore[operator]
        return _build_on(X, positive, families, weights, method, (most, _MOST_IF_RARE), **looking)
    return built


def _hidden_positives(built: Built) -> float:
    """Estimated number of positives among the unlabeled rows used."""
    counts = ones_for_none(built.weights, len(built.positive))
    return built.method.share(counts) * counts[~built.positive].sum()


def _build_on(
    X: Any,
    positive: np.ndarray,
    families: np.ndarray | None,
    weights: np.ndarray | None,
    method: str,
    most: tuple[Any, Any],
    *,
    classifier: Any,
    folds: int | np.ndarray,
    random_state: int,
    n_jobs: int | None,
) -> Built:
    """Fit a method to at most ``most`` (labeled, unlabeled) rows."""
    sides = np.flatnonzero(positive), np.flatnonzero(~positive)
    if any(limit is not None and len(side) > limit for side, limit in zip(sides, most, strict=True)):
        rng = np.random.RandomState(random_state)
        rows = np.sort(np.concatenate([_at_most(side, limit, rng) for side, limit in zip(sides, most, strict=True)]))
        X, positive = _safe_indexing(X, rows), positive[rows]
        families, weights = of_rows(families, rows), of_rows(weights, rows)
        folds = folds_of_rows(folds, rows)
    weights = effective_weights(weights, positive)
    seen = X, positive, families, weights
    if method.startswith("km"):
        return Built(build_kernel_mean(X, positive, method, weights), *seen)
    if method == "tice":
        tice = build_tice(X, positive, folds=folds, random_state=random_state, groups=families, weights=weights)
        return Built(tice, *seen)
    scores = out_of_fold_scores(
        X,
        positive,
        classifier=classifier,
        folds=folds,
        random_state=random_state,
        n_jobs=n_jobs,
        balanced=method != "elkan_noto",
        probabilities=method == "elkan_noto",
        groups=families,
        weights=weights,
    )
    if method == "elkan_noto":
        return Built(ElkanNoto(scores, positive), *seen)
    if method == "dedpul":
        return Built(DensityRatio(scores, positive), *seen)
    own = independent_shares(positive, families, weights)
    if method == "by_subtype":
        return Built(Subtypes(scores, positive, cells_of(X, positive, random_state, weights), own), *seen)
    return Built(BestBin(scores, positive, independent=own, binomial=_BINOMIAL[method]), *seen)


def independent_shares(
    positive: np.ndarray, groups: np.ndarray | None, weights: np.ndarray | None = None
) -> tuple[float, float]:
    """Effective number of independent rows per labeled and per unlabeled row: Kish's design effect.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._priors._build import independent_shares
    >>> independent_shares(np.array([True, True, False, False]), np.array([0, 0, 1, 2]))
    (0.5, 1.0)
    """
    if groups is None:
        return 1.0, 1.0
    counts = ones_for_none(weights, len(positive))
    labeled, unlabeled = (
        float(effective_count(np.bincount(np.unique(groups[side], return_inverse=True)[1], counts[side])) / counts[side].sum())
        for side in (positive, ~positive)
    )
    return labeled, unlabeled


def _at_most(rows: np.ndarray, n: int | None, rng: np.random.RandomState) -> np.ndarray:
    return rows if n is None or len(rows) <= n else rng.choice(rows, size=n, replace=False)
