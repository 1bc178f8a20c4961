"""The public estimators of the class prior: a point estimate and an interval."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Literal, overload

from sklearn.utils import column_or_1d
from sklearn.utils._param_validation import Interval, validate_params

from pulib._labels import encode_pu_labels
from pulib._priors._build import CONSTRAINTS
from pulib._priors._describe import RESAMPLES, describe_prior
from pulib._priors._prior_estimate import PriorEstimate
from pulib._typing import ArrayLike, MatrixLike
from pulib._warnings import issue_warning


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
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or rows of any kind that ``classifier`` accepts
        Without a classifier, or for a method that needs none: numbers; ordered categories count as ranks.
    y : array-like of shape (n_samples,)
        PU labels: 1 for labeled positives, and 0 or a missing value for unlabeled rows.
    method : str, default="best_bin"
        "best_bin" (Garg et al. 2021), "elkan_noto" (mean score; Elkan and Noto 2008) and "dedpul" (density ratio; Ivanov 2020)
        use out-of-fold scores of a classifier of labeled against unlabeled rows.  "tice" (Bekker and Davis 2018) uses the parts
        of a decision tree; "km1" and "km2" (Ramaswamy et al. 2016) use a kernel matrix.

        "best_bin" differs from the paper's algorithm, "best_bin_paper", in two ways: if positives are rare, it chooses its
        threshold by binomial bounds, and its estimate never exceeds an upper confidence bound given the scores.

        Two variants are ours.  "best_bin_binomial" always uses binomial bounds, for rare positives that overlap with
        negatives.  "by_subtype" clusters the labeled rows and adds up best bin's estimates within the clusters, for labels that
        are more frequent among some subtypes of positives.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows represent the population, or the labeled and unlabeled rows together do.
    groups : array-like of shape (n_samples,) or None, default=None
        Group of each row (such as a patient, a place or a product); any values.  Rows of a group share a fold and are resampled
        together.  With None, only equal rows share a fold, and a warning says if rows look repeated.
    sample_weight : array-like of shape (n_samples,), number or None, default=None
        Weights of rows, in the classifier's ``fit``, which has to accept them, and in all shares.  Their scale does not matter,
        and rows of weight 0 are left out.  A row of weight 2 counts as two rows, but is evidence for one: bounds and intervals
        use the effective number of rows.
    classifier : classifier or None, default=None
        Separates labeled from unlabeled rows, for the "best_bin" methods, "by_subtype", "dedpul" and "elkan_noto"; the last
        needs ``predict_proba`` with calibrated probabilities (see ``CalibratedClassifierCV``).  A pipeline may accept text,
        categories, or frames.  None means this library's extra trees or, with more than 1,000 sparse or 10,000 dense columns, a
        logistic regression.
    cv : int, splitter, iterable of (train, test) or None, default=5
        Folds of the scores, or of TIcE; they have to hold out each row once, like those of :class:`~pulib.PUGroupKFold`.
    max_samples : int, "auto" or None, default="auto"
        Maximum number of labeled and of unlabeled rows to use, drawn at random; a few thousand suffice for a share.  "auto"
        means 5,000 for methods that use a classifier, 20,000 for "tice", and 400 for "km1" and "km2".  "best_bin" uses up to
        50,000 unlabeled rows if fewer than 100 of 5,000 seem to be positive; "best_bin_binomial" uses up to 50,000 of each
        kind.  None means all.
    random_state : int, default=0
        Fixed by default, so that an estimator with ``prior=None`` is reproducible.
    n_jobs : int or None, default=None
        Number of threads of the default classifier.
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    return_details : bool, default=False
        Whether to return the result of :func:`prior_interval`.

    Returns
    -------
    prior : float, or PriorEstimate with ``return_details=True``
        Inside (0, 1): the share of positives among the unlabeled rows is clipped to stay 1 / (n_unlabeled + 2) from 0 and 1.

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
        factor of four or by one half; labels do not look selected at random; rows look repeated and ``groups`` is not given; or
        one column separates labeled from unlabeled rows.  The interval is not checked for "km1" and "km2", for which it takes
        minutes.

    See Also
    --------
    prior_interval : Estimate with an interval.

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
    issue_warning(*estimate.warnings)
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
    """Estimate the class prior with a bootstrap interval.

    Labeled and unlabeled rows are resampled separately, and the estimate is repeated on each resample.  Results computed from
    the features (the classifier's held-out scores, TIcE's trees, the kernel) stay fixed.

    With one sample, the interval is for the share of positives among these n rows.  That of the population they are drawn from
    has a further standard error of at most sqrt(π (1 − π) / n), which is most of it if nearly all positives are labeled.

    Best bin assumes that some rows are certainly positive; otherwise, it is too high.  Its interval is therefore wider:

    - It includes the interval from the same resamples under a model in which the scores of both classes are overlapping
      normals, and extends down by the probability that a negative is ranked above a positive.
    - Estimates on resamples are too low, because best bin is a minimum over noisy ratios.  The upper end is therefore at least
      as far above the estimate as their lower percentile is below it.
    - If labeled and unlabeled rows look alike, its lower end is the smallest possible value.  With fewer than 30 labels,
      neither end is bounded.

    The interval of "elkan_noto" is widened in the first way, that of "tice" in the second, and that of "by_subtype"
    includes best bin's; all others are plain percentiles.

    Parameters
    ----------
    X, y, method, scenario, groups, sample_weight, classifier, cv, max_samples, random_state, n_jobs, pos_label
        As for :func:`estimate_prior`.
    confidence : float in (0, 1), default=0.95
        Level of the interval.
    n_bootstrap : int, default=200
        Number of resamples.  The kernel methods take about a second for each.

    Returns
    -------
    estimate : PriorEstimate
        The estimate and an interval that contains it.

    Raises
    ------
    ValueError
        As for :func:`estimate_prior`.

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
    issue_warning(*estimate.warnings)
    return estimate
