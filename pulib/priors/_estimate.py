"""The public estimators of the class prior: validation, choice of method, the two scenarios, and the bootstrap."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np
from sklearn.utils import check_X_y
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions, validate_params

from pulib._base import encode_pu_labels
from pulib._typing import ArrayLike, MatrixLike
from pulib.priors._from_scores import BestBin, ElkanNoto
from pulib.priors._kernel_mean import build_kernel_mean
from pulib.priors._scores import accepts_sparse, out_of_fold_scores
from pulib.priors._tice import build_tice

#: Rows of either kind that a method uses at most, unless told otherwise; the kernel methods need a matrix of all.
_MOST = {
    "best_bin": 20_000,
    "elkan_noto": 20_000,
    "tice": 20_000,
    "tice_ratio": 20_000,
    "km1": 400,
    "km2": 400,
    "km_blend": 400,
}

_CONSTRAINTS: dict[str, list] = {
    "X": ["array-like", "sparse matrix"],
    "y": ["array-like"],
    "method": [StrOptions(set(_MOST))],
    "scenario": [StrOptions({"two_sample", "one_sample"})],
    "classifier": [HasMethods(["fit", "predict_proba"]), HasMethods(["fit", "decision_function"]), None],
    "n_folds": [Interval(Integral, 2, None, closed="left")],
    "max_samples": [Interval(Integral, 2, None, closed="left"), StrOptions({"auto"}), None],
    "random_state": [Interval(Integral, 0, 2**32 - 1, closed="both")],
    "n_jobs": [Integral, None],
}


class _Method(Protocol):
    """What has looked at the rows, and answers for any weighting of them."""

    def share(self, weights: np.ndarray) -> float: ...


@dataclass(frozen=True)
class PriorInterval:
    """An estimate of the class prior with a bootstrap interval.

    Attributes
    ----------
    prior, low, high : float
    method : str
    confidence : float
    """

    prior: float
    low: float
    high: float
    method: str
    confidence: float


@validate_params(_CONSTRAINTS, prefer_skip_nested_validation=True)
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
) -> float:
    """Estimate π, the share of positives in the population, from positive and unlabeled rows.

    Every method rests on labels missing at random among the positives, and on some region where (nearly) all rows are positive;
    where there is none, the estimate is an upper bound.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        PU labels: the greater of two values marks labeled positives.
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
        (calibrated probabilities, which ``CalibratedClassifierCV`` makes of any scores).  None means extra trees.
    n_folds : int, default=5
        Folds of the scores, or of TIcE; rows that are equal share a fold.
    max_samples : int, "auto" or None, default="auto"
        Of the labeled, and of the unlabeled rows, at most this many are used, drawn at random: 400 for those that start with
        "km", 20,000 for the others.  None means all.
    random_state : int, default=0
        A fixed seed by default, so that an estimator with ``prior=None`` stays reproducible.
    n_jobs : int or None, default=None
        Threads of the default classifier.

    Returns
    -------
    prior : float
        Inside (0, 1): an estimate at or beyond a bound is put 1 / (n_unlabeled + 2) inside it.

    Raises
    ------
    ValueError
        If X holds NaN or infinity, ``y`` does not have two kinds of labels, or "elkan_noto" is given a classifier without
        ``predict_proba``.

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
    built, positive, counts = _build(X, y, method, classifier, n_folds, max_samples, random_state, n_jobs)
    return prior_from_share(built.share(np.ones(len(positive))), *counts, scenario)


@validate_params(
    {
        **_CONSTRAINTS,
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
) -> PriorInterval:
    """Estimate the class prior, with an interval by bootstrap.

    Labeled and unlabeled rows are resampled apart from each other, and the estimate is made anew from each resample.  What
    looked at the features (the classifier's out-of-fold scores, TIcE's trees, the kernel) is not made anew: the interval tells
    what the finite samples leave open, and not what another classifier would have said.

    Parameters
    ----------
    X, y, method, scenario, classifier, n_folds, max_samples, random_state, n_jobs
        As of :func:`estimate_prior`.
    confidence : float in (0, 1), default=0.95
    n_bootstrap : int, default=200
        Resamples.  The kernel methods take about a second for each.

    Returns
    -------
    interval : PriorInterval
        With the percentiles of the resamples' estimates, widened where needed to hold the estimate itself.

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
    built, positive, counts = _build(X, y, method, classifier, n_folds, max_samples, random_state, n_jobs)
    prior = prior_from_share(built.share(np.ones(len(positive))), *counts, scenario)
    rng = np.random.RandomState(random_state)
    estimates = [prior_from_share(built.share(_resample(positive, rng)), *counts, scenario) for _ in range(n_bootstrap)]
    low, high = np.quantile(estimates, [0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence])
    return PriorInterval(prior, min(float(low), prior), max(float(high), prior), method, confidence)


def _resample(positive: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """How often each row is drawn."""
    weights = np.zeros(len(positive))
    for rows in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        weights[rows] = np.bincount(rng.randint(len(rows), size=len(rows)), minlength=len(rows))
    return weights


def _build(
    X: MatrixLike,
    y: ArrayLike,
    method: str,
    classifier: Any,
    n_folds: int,
    max_samples: int | str | None,
    random_state: int,
    n_jobs: int | None,
) -> tuple[_Method, np.ndarray, tuple[int, int]]:
    """The method that has seen the rows, which rows are labeled, and the counts of labeled and unlabeled rows given."""
    X, y = check_X_y(X, y, accept_sparse=["csr"] if accepts_sparse(classifier) else False, dtype="numeric")
    positive, _ = encode_pu_labels(y)
    counts = int(positive.sum()), int((~positive).sum())
    most = _MOST[method] if max_samples == "auto" else max_samples
    if most is not None and max(counts) > most:  # type: ignore[operator]
        rng = np.random.RandomState(random_state)
        rows = np.sort(np.concatenate([_at_most(np.flatnonzero(side), most, rng) for side in (positive, ~positive)]))  # type: ignore[arg-type]
        X, positive = X[rows], positive[rows]
    if method.startswith("km"):
        return build_kernel_mean(X, positive, method), positive, counts
    if method.startswith("tice"):
        report = "ratio" if method == "tice_ratio" else "bound"
        return build_tice(X, positive, n_folds=n_folds, random_state=random_state, report=report), positive, counts
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
    return (BestBin if method == "best_bin" else ElkanNoto)(scores, positive), positive, counts


def prior_from_share(share: float, n_labeled: int, n_unlabeled: int, scenario: str) -> float:
    """π from the share of positives among the unlabeled rows, kept inside (0, 1)."""
    margin = 1.0 / (n_unlabeled + 2.0)
    share = float(np.clip(share, margin, 1.0 - margin))
    if scenario == "two_sample":
        return share
    labeled = n_labeled / (n_labeled + n_unlabeled)
    return labeled + (1.0 - labeled) * share


def _at_most(rows: np.ndarray, n: int, rng: np.random.RandomState) -> np.ndarray:
    return rows if len(rows) <= n else rng.choice(rows, size=n, replace=False)
