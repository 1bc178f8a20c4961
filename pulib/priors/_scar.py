"""A test of whether labels look selected completely at random: labeled rows against likely positives among the unlabeled."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.stats import norm
from sklearn.utils import column_or_1d
from sklearn.utils._param_validation import Interval, validate_params

from pulib._labels import encode_pu_labels
from pulib._priors._build import CONSTRAINTS, build_method
from pulib._priors._columns import comparable
from pulib._priors._describe import row_warnings
from pulib._priors._interval import prior_from_share, share_interval
from pulib._priors._rank_test import compare_ranks
from pulib._typing import ArrayLike, MatrixLike
from pulib._warnings import issue_warning
from pulib._weights import of_rows, ones_for_none, row_weights, thinned, weighted_counts

_QUARTERS = 4
#: Resamples for the interval of the label frequency.
_RESAMPLES = 100
_TAKEN = ("X", "y", "groups", "sample_weight", "classifier", "cv", "max_samples", "random_state", "n_jobs", "pos_label")


@dataclass(frozen=True)
class SCARCheck:
    """The result of a test of whether labeled positives differ from likely positives among the unlabeled rows.

    Attributes
    ----------
    statistic : float
        The largest absolute standardized rank sum over the features.
    p_value : float
        Share of the permutations of the labels with a statistic at least as large.
    feature : int
        The column of X with that rank sum; for texts, the index of the word among the compared words.
    alpha : float
    critical_value : float
        The statistic above which the p-value is at most ``alpha``.
    effect, power : float
        The effect is the probability that a labeled row has a larger value of a feature than an unlabeled positive (0.5: no
        difference).  The power is the probability of detecting this effect in one feature at level ``alpha``.
    n_labeled, n_unlabeled : int
        Numbers of likely positives of each kind that were compared.
    label_frequency, label_frequency_low, label_frequency_high : float
        c, the share of positives that are labeled, with its 95% interval: n_labeled / (n_labeled + positives among the
        unlabeled).
    quarter_frequencies : tuple of four floats
        Share of labeled rows among the compared ones in each quarter of ``feature``, from low to high values: equal if labels
        are at random.  NaN for a quarter without rows, which ties can cause.
    feature_name : str or int
        Name of ``feature``: the column's name, or its number if columns have no names; ``"column=level"`` for a category; or
        the word.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from pulib import check_scar
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(1000) < 0.4
    >>> X = np.c_[rng.normal(size=1000) + np.where(truth, 4.0, -4.0), rng.normal(size=1000)]
    >>> biased = truth & (rng.random(1000) < 1 / (1 + np.exp(-2 * X[:, 1])))  # labels depend on the second feature
    >>> check = check_scar(X, biased, classifier=LogisticRegression())
    >>> print(f"p = {check.p_value:.3f}, feature {check.feature}")
    p = 0.001, feature 1
    """

    statistic: float
    p_value: float
    feature: int
    alpha: float
    critical_value: float
    effect: float
    power: float
    n_labeled: int
    n_unlabeled: int
    label_frequency: float
    label_frequency_low: float
    label_frequency_high: float
    quarter_frequencies: tuple[float, ...]
    feature_name: Any = None

    def __str__(self) -> str:
        found = "labels do not look selected at random" if self.p_value <= self.alpha else "no bias of the labels found"
        return (
            f"{found} (p = {self.p_value:.2g}; feature {self.feature_name}; {self.n_labeled} labeled against "
            f"{self.n_unlabeled} likely positives; a difference of {self.effect:g} would be found with probability "
            f"{self.power:.2f})"
        )


@validate_params(
    {
        **{name: CONSTRAINTS[name] for name in _TAKEN},
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "effect": [Interval(Real, 0, 1, closed="neither")],
        "n_permutations": [Interval(Integral, 19, None, closed="left")],
    },
    prefer_skip_nested_validation=True,
)
def check_scar(
    X: MatrixLike,
    y: ArrayLike,
    *,
    alpha: float = 0.05,
    effect: float = 0.6,
    n_permutations: int = 999,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    classifier: Any = None,
    cv: Any = 5,
    max_samples: int | str | None = "auto",
    random_state: int = 0,
    n_jobs: int | None = None,
    pos_label: Any = None,
) -> SCARCheck:
    """Test whether labels look selected completely at random among the positives (SCAR).

    If labels are at random, labeled rows are a random sample of the positives.  Rows above best bin's threshold on held-out
    scores are likely positive, labeled or not; the test permutes the labels among them.  The statistic is the largest
    standardized rank sum over the features, so that the p-value accounts for all features.  Features are numbers, ordered
    categories, and the levels of other categories; for texts and sparse rows, the most frequent words or columns.  Missing
    values rank first.

    With ``groups``, the labels of whole groups are permuted, and each group counts by its mean rank.  With ``sample_weight``,
    likely positives are drawn by weight, without replacement, and the drawn rows count equally.

    The test alone proves nothing.  If classes overlap, some of the likely positives are negatives, and the test detects those.
    If labels are so biased that some kinds of positives have none, these are not among the likely positives, and the test
    detects nothing.  Read its result together with its power and with what you know about how labels were assigned.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or rows of any kind that ``classifier`` accepts
    y : array-like of shape (n_samples,)
        PU labels: 1 for labeled positives, and 0 or a missing value for unlabeled rows.
    alpha : float in (0, 1), default=0.05
        Level of the test, for the power; at least 1 / (n_permutations + 1), the least possible p-value.
    effect : float in (0, 1), default=0.6
        Effect size for the power; see :class:`pulib.priors.SCARCheck`.
    n_permutations : int, default=999
    groups, sample_weight, classifier, cv, max_samples, random_state, n_jobs, pos_label
        As for :func:`pulib.estimate_prior`.

    Returns
    -------
    check : SCARCheck

    Raises
    ------
    ValueError
        As for :func:`pulib.estimate_prior`; if ``alpha`` is too small for the number of permutations; or if likely positives of
        one kind, or columns to compare, are missing.

    Warns
    -----
    PUWarning
        If rows look repeated and ``groups`` is not given, or if one column separates labeled from unlabeled rows.

    See Also
    --------
    pulib.BiasedPUClassifier : Learns from labels that are not at random.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from pulib import check_scar
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(1000) < 0.4
    >>> X = np.c_[rng.normal(size=1000) + np.where(truth, 4.0, -4.0), rng.normal(size=1000)]
    >>> at_random = truth & (rng.random(1000) < 0.5)
    >>> print(f"p = {check_scar(X, at_random, classifier=LogisticRegression()).p_value:.2f}")
    p = 0.50
    >>> biased = truth & (rng.random(1000) < 1 / (1 + np.exp(-2 * X[:, 1])))
    >>> check = check_scar(X, biased, classifier=LogisticRegression())
    >>> print(f"p = {check.p_value:.3f}, feature {check.feature}")
    p = 0.001, feature 1
    """
    if alpha * (n_permutations + 1) < 1 - 1e-9:
        raise ValueError(
            f"alpha={alpha:g}, n_permutations={n_permutations}: the least possible p-value is {1 / (n_permutations + 1):.3g}, "
            f"so that nothing could be found; pass n_permutations={int(np.ceil(1 / alpha - 1e-9)) - 1} or more."
        )
    positive, _ = encode_pu_labels(column_or_1d(y, warn=True), pos_label)
    of_all = row_weights(sample_weight, positive, positive)
    looked = build_method(
        X,
        positive,
        "best_bin",
        groups=groups,
        weights=of_all,
        classifier=classifier,
        cv=cv,
        max_samples=max_samples,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    built, X, used, families, weights = looked
    issue_warning(*row_warnings(looked, "the check"))
    share = built.share(ones_for_none(weights, len(used)))
    rng, reached = np.random.RandomState(random_state), built.likely(weights)
    sides = [thinned(weights, np.flatnonzero(reached & side), rng) for side in (used, ~used)]
    likely = np.isin(np.arange(len(used)), np.concatenate(sides))
    labeled = used[likely]
    n_p, n_u = int(labeled.sum()), int((~labeled).sum())
    if min(n_p, n_u) == 0:
        raise ValueError(
            f"{n_p} labeled and {n_u} unlabeled rows look positive: there is nothing to compare. Labels may be too few, or the "
            "unlabeled rows may contain no positives."
        )
    columns = comparable(X, likely)
    if not columns.names:
        raise ValueError("X has no columns to compare: none is a number or a category. Encode ids and free text before.")
    test = compare_ranks(columns.rows, labeled, n_permutations, rng, None if families is None else families[likely])
    if min(test.counts) == 0:
        raise ValueError(
            f"{test.counts[0]} groups of labeled and {test.counts[1]} groups of unlabeled rows look positive: there is "
            "nothing to compare."
        )
    critical = float(np.quantile(test.drawn, 1 - alpha, method="higher"))
    low, high = share_interval(built, used, share, 0.95, _RESAMPLES, random_state, families, weights)
    counted = slice(None) if of_all is None else of_all > 0
    n_labeled, n_unlabeled = weighted_counts(positive[counted], of_rows(of_all, counted))
    c, c_high, c_low = (
        n_labeled / (n_labeled + n_unlabeled * prior_from_share(value, n_labeled, n_unlabeled, "two_sample"))
        for value in (share, low, high)
    )
    return SCARCheck(
        statistic=test.statistic,
        p_value=test.p_value,
        feature=columns.numbers[test.column],
        alpha=float(alpha),
        critical_value=critical,
        effect=float(effect),
        power=rank_power(effect, *test.counts, critical),
        n_labeled=n_p,
        n_unlabeled=n_u,
        label_frequency=c,
        label_frequency_low=c_low,
        label_frequency_high=c_high,
        quarter_frequencies=_frequencies(columns.rows[:, test.column], labeled),
        feature_name=columns.names[test.column],
    )


def rank_power(effect: float, n_labeled: int, n_unlabeled: int, critical: float) -> float:
    """Probability that a rank sum exceeds a critical value if labeled rows are larger with probability ``effect``.

    Uses the normal approximation of the Mann–Whitney statistic, with its standard deviation under no difference.

    Examples
    --------
    >>> from pulib.priors._scar import rank_power
    >>> round(rank_power(0.5, 50, 50, 1.96), 2), round(rank_power(0.7, 50, 50, 1.96), 2)
    (0.05, 0.93)
    """
    spread = np.sqrt((n_labeled + n_unlabeled + 1) / (12.0 * n_labeled * n_unlabeled))
    mean = (effect - 0.5) / spread
    return float(norm.sf(critical - mean) + norm.cdf(-critical - mean))


def _frequencies(values: np.ndarray, labeled: np.ndarray) -> tuple[float, ...]:
    """Share of labeled rows in each quarter of the values."""
    edges = np.quantile(values, np.arange(1, _QUARTERS) / _QUARTERS)
    quarter = np.searchsorted(edges, values, side="left")
    counts = np.bincount(quarter, minlength=_QUARTERS)
    sums = np.bincount(quarter, weights=labeled, minlength=_QUARTERS)
    return tuple(float(s / n) if n else float("nan") for s, n in zip(sums, counts, strict=True))
