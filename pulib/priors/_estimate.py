"""The public estimators of the class prior: a point, and an interval."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Literal, overload

from sklearn.utils import column_or_1d
from sklearn.utils._param_validation import Interval, validate_params

from pulib._doubts import warn_of
from pulib._labels import encode_pu_labels
from pulib._priors._build import CONSTRAINTS
from pulib._priors._describe import RESAMPLES, describe_prior
from pulib._priors._prior_estimate import PriorEstimate
from pulib._typing import ArrayLike, MatrixLike


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
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    classifier: Any = None,
    cv: Any = 5,
    max_samples: int | str | None = "auto",
    random_state: int = 0,
    n_jobs: int | None = None,
    pos_label: Any = None,
    return_details: bool = False,
) -> float | PriorEstimate:
    """Estimate π, the share of positives in the population, from positive and unlabeled rows.

    Every method assumes that labels are missing at random among the positives, and that (nearly) all rows are positive in some
    region; if there is no such region, the estimate is an upper bound.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or rows of any kind that ``classifier`` takes
        Without a classifier, or for a method that needs none: numbers; ordered categories count as ranks.
    y : array-like of shape (n_samples,)
        PU labels: 1 for labeled positives and 0 for unlabeled rows, or missing values for these.
    method : str, default="best_bin"
        "best_bin" (Garg et al. 2021) and "elkan_noto", the mean score of Elkan and Noto (2008), use the out-of-fold scores of a
        classifier of labeled against unlabeled rows; so does "dedpul" (Ivanov 2020), by the ratio of their densities; "tice"
        (Bekker and Davis 2018) uses the parts of a decision tree; "km1" and "km2" (Ramaswamy et al. 2016) use a kernel matrix.
        If positives are rare, "best_bin" chooses its threshold by binomial bounds, and it never exceeds what the scores permit;
        "best_bin_paper" does neither. Four variants are ours: "best_bin_binomial" always uses binomial bounds, for rare
        positives that overlap with negatives; "by_subtype" clusters the labeled rows and adds up best bin's estimates within
        the clusters, for labels that some subtypes of positives get more often than others;
        "tice_ratio", which omits the margin of TIcE's lower bound, and
        "km_blend", KM2 with a threshold between the two of its authors, are more accurate if the classes are far apart.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows represent the population, or the labeled and unlabeled rows together do.
    groups : array-like of shape (n_samples,) or None, default=None
        What each row belongs to (a patient, a place, a product); any values.  Rows of a group share a fold and are resampled
        together. None: only equal rows share a fold, and a warning says if rows look repeated.
    sample_weight : array-like of shape (n_samples,), number or None, default=None
        How much each row counts: in the classifier's ``fit``, which has to accept weights, and in all shares.  A factor common
        to all rows changes nothing, and rows of weight 0 are left out.  A row of weight 2 counts as two rows, but is evidence
        for one: bounds and intervals use the effective number of rows.
    classifier : classifier or None, default=None
        Separates labeled from unlabeled rows, for "best_bin", "by_subtype", "dedpul" and "elkan_noto"; the last needs
        ``predict_proba`` (calibrated probabilities, which ``CalibratedClassifierCV`` makes of any scores).  A pipeline may
        accept text, categories, or frames.  None means this library's extra trees or, from 1,000 sparse or 10,000 dense columns
        on, a logistic regression.
    cv : int, splitter, iterable of (train, test) or None, default=5
        Folds of the scores, or of TIcE; any that hold each row out once, such as :class:`~pulib.PUGroupKFold`'s.
    max_samples : int, "auto" or None, default="auto"
        At most this many labeled and this many unlabeled rows are used, drawn at random; a few thousand suffice for a share.
        "auto" means 5,000 for methods that use a classifier, 20,000 for those that start with "tice", and 400 for those that
        start with "km"; for best bin, 50,000 unlabeled rows if fewer than 100 of 5,000 seem to be positive, and for
        "best_bin_binomial" 50,000 of either kind.  None means all.
    random_state : int, default=0
        Fixed by default, so that an estimator with ``prior=None`` is reproducible.
    n_jobs : int or None, default=None
        Threads of the default classifier.
    pos_label : number, str, bool or None, default=None
        The label of labeled positives, if the labels do not show it.
    return_details : bool, default=False
        Whether to return what :func:`prior_interval` returns.

    Returns
    -------
    prior : float, or PriorEstimate with ``return_details=True``
        Inside (0, 1): an estimate at or beyond a bound is moved 1 / (n_unlabeled + 2) inside it.  Best bin's estimate is at
        most what the tails of the scores and the area under their curve permit.

    Raises
    ------
    ValueError
        If X contains infinity, NaN that the method or the classifier does not accept (the defaults do), or text without a
        classifier that accepts it, ``y`` does not have two kinds of labels, ``groups`` is not one value per row, a weight is
        negative or not finite, all rows of a kind have weight 0, the classifier accepts no weights, or "elkan_noto" is given a
        classifier without ``predict_proba``.

    Warns
    -----
    PUWarning
        Once, if the estimate is doubtful: it is at its limit, rests on few labels, or has an interval whose ends differ by a
        factor of four or by one half; labels do not look selected at random; rows look repeated and no ``groups`` are given; or
        one column alone separates labeled from unlabeled rows.  For the methods that start with "km", whose interval takes
        minutes, the interval is not checked.

    See Also
    --------
    prior_interval : The same with an interval.

    References
    ----------
    Garg et al., Mixture proportion estimation and PU learning: a modern approach (NeurIPS 2021); Elkan and Noto, Learning
    classifiers from only positive and unlabeled data (KDD 2008); Bekker and Davis, Estimating the class prior in positive and
    unlabeled data through decision tree induction (AAAI 2018); Ramaswamy, Scott and Tewari, Mixture proportion estimation via
    kernel embeddings of distributions (ICML 2016); Ivanov, DEDPUL: Difference-of-
    estimated-densities-based positive-unlabeled learning (ICMLA 2020).

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import estimate_prior
    >>> rng = np.random.default_rng(0)
    >>> P = rng.normal(2, 1, size=(500, 2))
    >>> U = np.r_[rng.normal(2, 1, size=(300, 2)), rng.normal(-2, 1, size=(700, 2))]
    >>> X, y = np.r_[P, U], np.r_[np.ones(500), np.zeros(1000)]
    >>> print(f"{estimate_prior(X, y):.2f}, true 0.30")
    0.30, true 0.30
    """
    positive, _ = encode_pu_labels(column_or_1d(y, warn=True), pos_label)
    estimate = describe_prior(
        X,
        positive,
        method,
        n_bootstrap=0 if method.startswith("km") and not return_details else RESAMPLES,
        scenario=scenario,
        groups=groups,
        sample_weight=sample_weight,
        classifier=classifier,
        cv=cv,
        max_samples=max_samples,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    warn_of(*estimate.warnings, stacklevel=3)
    return estimate if return_details else estimate.prior


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
    n_bootstrap: int = RESAMPLES,
    scenario: str = "two_sample",
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    classifier: Any = None,
    cv: Any = 5,
    max_samples: int | str | None = "auto",
    random_state: int = 0,
    n_jobs: int | None = None,
    pos_label: Any = None,
) -> PriorEstimate:
    """Estimate the class prior, with a bootstrap interval and the assumption behind it.

    Labeled and unlabeled rows are resampled separately, and the estimate is repeated on each resample.  What was computed from
    the features (the classifier's held-out scores, TIcE's trees, the kernel) stays fixed.

    Best bin assumes that some rows are surely positive, and is too high if none are.  Its interval therefore also includes the
    interval of the same resamples under the model that the scores of both classes are two overlapping normals, and extends down
    by the probability that a negative is ranked above a positive.  Because best bin is a minimum over noisy ratios, it is lower
    still on resamples; the interval extends up by as much.  If labeled and unlabeled rows look alike, its lower end is the
    smallest possible value, and with fewer than 30 labels, neither end is bounded.  The interval of
    ``elkan_noto`` is extended in the first two ways, and that by subtype includes best bin's; the others are plain percentiles.

    Parameters
    ----------
    X, y, method, scenario, groups, sample_weight, classifier, cv, max_samples, random_state, n_jobs, pos_label
        As for :func:`estimate_prior`.
    confidence : float in (0, 1), default=0.95
    n_bootstrap : int, default=200
        Resamples.  The kernel methods take about a second for each.

    Returns
    -------
    estimate : PriorEstimate
        With an interval that contains the estimate itself.

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
    >>> print(f"{interval.prior:.2f} [{interval.low:.2f}, {interval.high:.2f}], true 0.30")
    0.30 [0.23, 0.34], true 0.30
    """
    positive, _ = encode_pu_labels(column_or_1d(y, warn=True), pos_label)
    estimate = describe_prior(
        X,
        positive,
        method,
        confidence=confidence,
        n_bootstrap=n_bootstrap,
        scenario=scenario,
        groups=groups,
        sample_weight=sample_weight,
        classifier=classifier,
        cv=cv,
        max_samples=max_samples,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    warn_of(*estimate.warnings, stacklevel=3)
    return estimate
