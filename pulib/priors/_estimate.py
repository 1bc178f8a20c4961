"""The public estimators of the class prior: validation, choice of method, the two scenarios, and the bootstrap."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, Literal, overload

import numpy as np
from sklearn.utils import check_X_y, column_or_1d
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions, validate_params

from pulib._doubts import doubt_of_prior
from pulib._labels import POS_LABEL_CONSTRAINT, encode_pu_labels
from pulib._typing import ArrayLike, MatrixLike
from pulib.exceptions import PUWarning
from pulib.priors._from_scores import BestBin, ElkanNoto
from pulib.priors._interval import share_interval, tail_curve
from pulib.priors._kernel_mean import build_kernel_mean
from pulib.priors._prior_estimate import PriorEstimate
from pulib.priors._scores import accepts_missing, accepts_sparse, out_of_fold_scores
from pulib.priors._tice import build_tice

#: Rows of either kind that a method uses at most, unless told otherwise; the kernel methods need a matrix of all.
_MOST = {
    "best_bin": 5_000,
    "elkan_noto": 5_000,
    "tice": 20_000,
    "tice_ratio": 20_000,
    "km1": 400,
    "km2": 400,
    "km_blend": 400,
}

CONSTRAINTS: dict[str, list] = {
    "X": ["array-like", "sparse matrix"],
    "y": ["array-like"],
    "method": [StrOptions(set(_MOST))],
    "scenario": [StrOptions({"two_sample", "one_sample"})],
    "classifier": [HasMethods(["fit", "predict_proba"]), HasMethods(["fit", "decision_function"]), None],
    "n_folds": [Interval(Integral, 2, None, closed="left")],
    "max_samples": [Interval(Integral, 2, None, closed="left"), StrOptions({"auto"}), None],
    "random_state": [Interval(Integral, 0, 2**32 - 1, closed="both")],
    "n_jobs": [Integral, None],
    "pos_label": POS_LABEL_CONSTRAINT,
}


@overload
def estimate_prior(
    X: MatrixLike, y: ArrayLike, method: str = ..., *, return_details: Literal[False] = ..., **options: Any
) -> float: ...
@overload
def estimate_prior(
    X: MatrixLike, y: ArrayLike, method: str = ..., *, return_details: Literal[True], **options: Any
) -> PriorEstimate: ...
@validate_params({**CONSTRAINTS, "return_details": ["boolean"]}, prefer_skip_nested_validation=True)
def estimate_prior(
    X: MatrixLike,
    y: ArrayLike,
    method: str = "best_bin",
    *,
    scenario: str = "two_sample",
    classifier: Any = None,
    n_folds: int = 5,
    max_samples: int | str | None = "auto",
    random_state: int = 0,
    n_jobs: int | None = None,
    pos_label: Any = None,
    return_details: bool = False,
) -> float | PriorEstimate:
    """Estimate π, the share of positives in the population, from positive and unlabeled rows.

    Every method rests on labels missing at random among the positives, and on some region where (nearly) all rows are positive;
    where there is none, the estimate is an upper bound.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        PU labels: 1 for labeled positives and 0 for unlabeled rows, or missing values for these.
    method : {"best_bin", "elkan_noto", "tice", "tice_ratio", "km1", "km2", "km_blend"}, default="best_bin"
        Best-bin estimation (Garg et al. 2021) and Elkan and Noto's mean score (2008) look at the out-of-fold scores of a
        classifier of labeled against unlabeled rows; TIcE (Bekker and Davis 2018) at the parts of a decision tree; KM1 and KM2
        (Ramaswamy et al. 2016) at a kernel matrix.  Two are variants of ours that come nearer to the truth where the classes
        are far apart: "tice_ratio" leaves out the margin of TIcE's lower bound, and "km_blend" is KM2 with a threshold between
        the two of its authors.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows stand for the population, or the labeled and unlabeled rows together.
    classifier : classifier or None, default=None
        What tells labeled from unlabeled rows, for "best_bin" and "elkan_noto", of which the latter needs its ``predict_proba``
        (calibrated probabilities, which ``CalibratedClassifierCV`` makes of any scores).  None means this library's extra
        trees, on labeled against unlabeled rows.
    n_folds : int, default=5
        Folds of the scores, or of TIcE; rows that are equal share a fold.
    max_samples : int, "auto" or None, default="auto"
        Of the labeled, and of the unlabeled rows, at most this many are used, drawn at random, since a share is known well from
        some thousands: 5,000 for "best_bin" and "elkan_noto", 20,000 for those that start with "tice", 400 for those that start
        with "km".  None means all.
    random_state : int, default=0
        A fixed seed by default, so that an estimator with ``prior=None`` stays reproducible.
    n_jobs : int or None, default=None
        Threads of the default classifier.
    pos_label : number, str, bool or None, default=None
        The label of labeled positives, where labels do not tell.
    return_details : bool, default=False
        Return what :func:`prior_interval` does.

    Returns
    -------
    prior : float, or PriorEstimate with ``return_details=True``
        Inside (0, 1): an estimate at or beyond a bound is put 1 / (n_unlabeled + 2) inside it.

    Raises
    ------
    ValueError
        If X holds infinity, or NaN that the method or the classifier does not take (the default ones do), ``y`` does not have
        two kinds of labels, or "elkan_noto" is given a classifier without ``predict_proba``.

    Warns
    -----
    PUWarning
        If the estimate is not to be trusted: at the border, from few labels, or (where the interval is known) open over half of
        the line.

    See Also
    --------
    prior_interval : The same with an interval.

    References
    ----------
    Garg et al., Mixture proportion estimation and PU learning: a modern approach (NeurIPS 2021); Elkan and Noto, Learning
    classifiers from only positive and unlabeled data (KDD 2008); Bekker and Davis, Estimating the class prior in positive and
    unlabeled data through decision tree induction (AAAI 2018); Ramaswamy, Scott and Tewari, Mixture proportion estimation via
    kernel embeddings of distributions (ICML 2016).

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import estimate_prior
    >>> rng = np.random.default_rng(0)
    >>> P = rng.normal(2, 1, size=(500, 2))
    >>> U = np.r_[rng.normal(2, 1, size=(300, 2)), rng.normal(-2, 1, size=(700, 2))]
    >>> X, y = np.r_[P, U], np.r_[np.ones(500), np.zeros(1000)]
    >>> abs(estimate_prior(X, y) - 0.3) < 0.05
    True
    """
    options = {
        "scenario": scenario,
        "classifier": classifier,
        "n_folds": n_folds,
        "max_samples": max_samples,
        "random_state": random_state,
        "n_jobs": n_jobs,
    }
    if return_details:
        return prior_interval(X, y, method, pos_label=pos_label, **options)
    positive, _ = encode_pu_labels(column_or_1d(y, warn=True), pos_label)
    del options["scenario"]
    built, _, used = build_method(X, positive, method, **options)
    counts = int(positive.sum()), int((~positive).sum())
    prior = prior_from_share(built.share(np.ones(len(used))), *counts, scenario)
    _warn(doubt_of_prior(prior, *counts, scenario, estimated=True))
    return prior


@validate_params(
    {
        **CONSTRAINTS,
        "confidence": [Interval(Real, 0, 1, closed="neither")],
        "n_bootstrap": [Interval(Integral, 10, None, closed="left")],
    },
    prefer_skip_nested_validation=True,
)
def prior_interval(
    X: MatrixLike,
    y: ArrayLike,
    method: str = "best_bin",
    *,
    confidence: float = 0.95,
    n_bootstrap: int = 200,
    scenario: str = "two_sample",
    classifier: Any = None,
    n_folds: int = 5,
    max_samples: int | str | None = "auto",
    random_state: int = 0,
    n_jobs: int | None = None,
    pos_label: Any = None,
) -> PriorEstimate:
    """Estimate the class prior, with an interval by bootstrap, and say what it rests on.

    Labeled and unlabeled rows are resampled apart from each other, and the estimate is made anew from each resample.  What
    looked at the features (the classifier's held-out scores, TIcE's trees, the kernel) is not made anew.

    Best bin takes some rows for surely positive, and comes out too great where there are none.  Its interval therefore also
    holds what the same resamples say if the scores of both classes are two overlapping normals, and goes down by the
    probability that a negative is ranked above a positive.  A minimum over noisy ratios, it is lower still on resamples; the
    interval goes up by as much.  Where labeled and unlabeled rows look alike its lower end is the least possible value, and
    with fewer labels than 30 it is the whole line.  The intervals of the other methods are plain percentiles.

    Parameters
    ----------
    X, y, method, scenario, classifier, n_folds, max_samples, random_state, n_jobs, pos_label
        As of :func:`estimate_prior`.
    confidence : float in (0, 1), default=0.95
    n_bootstrap : int, default=200
        Resamples.  The kernel methods take about a second for each.

    Returns
    -------
    estimate : PriorEstimate
        With an interval that holds the estimate itself.

    Raises
    ------
    ValueError
        As :func:`estimate_prior`.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.priors import prior_interval
    >>> rng = np.random.default_rng(0)
    >>> P = rng.normal(2, 1, size=(500, 2))
    >>> U = np.r_[rng.normal(2, 1, size=(300, 2)), rng.normal(-2, 1, size=(700, 2))]
    >>> interval = prior_interval(np.r_[P, U], np.r_[np.ones(500), np.zeros(1000)])
    >>> interval.low < 0.3 < interval.high < 0.4
    True
    """
    positive, _ = encode_pu_labels(column_or_1d(y, warn=True), pos_label)
    estimate = describe_prior(
        X,
        positive,
        method,
        confidence=confidence,
        n_bootstrap=n_bootstrap,
        scenario=scenario,
        classifier=classifier,
        n_folds=n_folds,
        max_samples=max_samples,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    _warn(" ".join(estimate.warnings))
    return estimate


def describe_prior(
    X: MatrixLike,
    positive: np.ndarray,
    method: str = "best_bin",
    *,
    confidence: float = 0.95,
    n_bootstrap: int = 200,
    scenario: str = "two_sample",
    random_state: int = 0,
    **looking: Any,
) -> PriorEstimate:
    """:func:`prior_interval` of labels that are known to be right, without its warning."""
    built, _, used = build_method(X, positive, method, random_state=random_state, **looking)
    counts = int(positive.sum()), int((~positive).sum())
    share = built.share(np.ones(len(used)))
    ends = share_interval(built, used, share, confidence, n_bootstrap, random_state)
    prior, low, high = (prior_from_share(value, *counts, scenario) for value in (share, *ends))
    doubt = doubt_of_prior(prior, *counts, scenario, estimated=True, interval=(low, high))
    return PriorEstimate(
        prior=prior,
        low=low,
        high=high,
        confidence=confidence,
        method=method,
        scenario=scenario,
        n_labeled=counts[0],
        n_unlabeled=counts[1],
        warnings=(doubt,) if doubt else (),
        tail_curve=tail_curve(built) if isinstance(built, BestBin) else None,
    )


def _warn(doubt: str) -> None:
    if doubt:
        warnings.warn(doubt, PUWarning, stacklevel=4)


def build_method(
    X: MatrixLike,
    positive: np.ndarray,
    method: str,
    *,
    classifier: Any = None,
    n_folds: int = 5,
    max_samples: int | str | None = "auto",
    random_state: int = 0,
    n_jobs: int | None = None,
) -> tuple[Any, Any, np.ndarray]:
    """The method that has seen the rows, the rows that it used, and which of them are labeled."""
    X, _ = check_X_y(
        X,
        positive,
        accept_sparse=["csr"] if accepts_sparse(classifier) else False,
        dtype="numeric",
        ensure_all_finite="allow-nan" if method in ("best_bin", "elkan_noto") and accepts_missing(classifier) else True,
    )
    most = _MOST[method] if max_samples == "auto" else max_samples
    sides = np.flatnonzero(positive), np.flatnonzero(~positive)
    if most is not None and max(map(len, sides)) > most:  # type: ignore[operator]
        rng = np.random.RandomState(random_state)
        rows = np.sort(np.concatenate([_at_most(side, most, rng) for side in sides]))  # type: ignore[arg-type]
        X, positive = X[rows], positive[rows]
    if method.startswith("km"):
        return build_kernel_mean(X, positive, method), X, positive
    if method.startswith("tice"):
        report = "ratio" if method == "tice_ratio" else "bound"
        return build_tice(X, positive, n_folds=n_folds, random_state=random_state, report=report), X, positive
    scores = out_of_fold_scores(
        X,
        positive,
        classifier=classifier,
        n_folds=n_folds,
        random_state=random_state,
        n_jobs=n_jobs,
        balanced=method == "best_bin",
        probabilities=method == "elkan_noto",
    )
    return (BestBin if method == "best_bin" else ElkanNoto)(scores, positive), X, positive


def prior_from_share(share: float, n_labeled: float, n_unlabeled: float, scenario: str) -> float:
    """π from the share of positives among the unlabeled rows, kept inside (0, 1)."""
    margin = 1.0 / (n_unlabeled + 2.0)
    share = float(np.clip(share, margin, 1.0 - margin))
    if scenario == "two_sample":
        return share
    labeled = n_labeled / (n_labeled + n_unlabeled)
    return labeled + (1.0 - labeled) * share


def _at_most(rows: np.ndarray, n: int, rng: np.random.RandomState) -> np.ndarray:
    return rows if len(rows) <= n else rng.choice(rows, size=n, replace=False)
