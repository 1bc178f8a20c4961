"""Confidence intervals of means, by distribution or by bootstrap."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from scipy import stats
from sklearn.utils._param_validation import Interval, StrOptions, validate_params

from pulib._typing import ArrayLike
from pulib.statistics._check import finite_vector, score_matrix


@dataclass(frozen=True)
class MeanInterval:
    """Mean with its confidence interval.

    Attributes
    ----------
    mean, low, high : float
        The interval covers the true mean with the given confidence.
    sd : float
        Standard deviation of the values (divisor n − 1); NaN for one value.
    n : int

    Examples
    --------
    >>> from pulib.statistics import mean_ci
    >>> interval = mean_ci([0.93, 0.94, 0.95])
    >>> print(f"{interval.mean:.3f} [{interval.low:.3f}, {interval.high:.3f}]")
    0.940 [0.915, 0.965]
    """

    mean: float
    low: float
    high: float
    sd: float
    n: int


@validate_params(
    {"values": ["array-like"], "confidence": [Interval(Real, 0, 1, closed="neither")], "method": [StrOptions({"t", "normal"})]},
    prefer_skip_nested_validation=True,
)
def mean_ci(values: ArrayLike, confidence: float = 0.95, *, method: str = "t") -> MeanInterval:
    """Mean, standard deviation and confidence interval of the mean.

    Parameters
    ----------
    values : array-like of shape (n,)
    confidence : float in (0, 1), default=0.95
    method : {"t", "normal"}, default="t"
        Student's t with n − 1 degrees of freedom, or the normal distribution (narrower for few values).

    Returns
    -------
    interval : MeanInterval
        Bounds are NaN for a single value.

    Raises
    ------
    ValueError
        If there is no value, or one is not finite.

    Examples
    --------
    >>> from pulib.statistics import mean_ci
    >>> interval = mean_ci([0.93, 0.94, 0.95])
    >>> round(interval.mean, 3), round(interval.low, 3), round(interval.high, 3)
    (0.94, 0.915, 0.965)
    """
    values = finite_vector(values, "values")
    n = len(values)
    mean = float(np.mean(values))
    if n == 1:
        return MeanInterval(mean, float("nan"), float("nan"), float("nan"), 1)
    sd = float(np.std(values, ddof=1))
    quantile = 0.5 + 0.5 * confidence
    half = (stats.t.ppf(quantile, n - 1) if method == "t" else stats.norm.ppf(quantile)) * sd / np.sqrt(n)
    return MeanInterval(mean, float(mean - half), float(mean + half), sd, n)


class BootstrapIntervals(NamedTuple):
    """Means of columns with confidence intervals, arrays of shape (n_columns,).

    Examples
    --------
    >>> from pulib.statistics import bootstrap_ci
    >>> intervals = bootstrap_ci([[0.90, 0.80], [0.94, 0.81], [0.92, 0.85], [0.99, 0.79]])
    >>> intervals.mean.round(3)
    array([0.938, 0.812])
    """

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray


@validate_params(
    {
        "values": ["array-like"],
        "confidence": [Interval(Real, 0, 1, closed="neither")],
        "n_resamples": [Interval(Integral, 1, None, closed="left")],
        "method": [StrOptions({"bca", "percentile"})],
        "random_state": [Interval(Integral, 0, None, closed="left")],
    },
    prefer_skip_nested_validation=True,
)
def bootstrap_ci(
    values: ArrayLike, confidence: float = 0.95, *, n_resamples: int = 2000, method: str = "bca", random_state: int = 0
) -> BootstrapIntervals:
    """Bootstrap intervals of means over rows (such as data sets), by SciPy; all columns use the same resamples.

    Parameters
    ----------
    values : array-like of shape (n,) or (n, n_columns)
    confidence : float in (0, 1), default=0.95
    n_resamples : int, default=2000
    method : {"bca", "percentile"}, default="bca"
        Bias-corrected and accelerated, or percentile bootstrap.
    random_state : int, default=0

    Returns
    -------
    intervals : BootstrapIntervals
        If all values of a column are equal, so are its bounds; for a single row, bounds are NaN.

    Raises
    ------
    ValueError
        If there is no row, or a value is not finite.

    References
    ----------
    Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 14.

    Examples
    --------
    >>> from pulib.statistics import bootstrap_ci
    >>> intervals = bootstrap_ci([0.90, 0.94, 0.92, 0.99, 0.91, 0.93])
    >>> intervals.mean.round(3), bool(0.91 < intervals.low[0] < 0.93 < intervals.high[0] < 0.97)
    (array([0.932]), True)
    """
    matrix = np.asarray(values, dtype=np.float64)
    matrix = score_matrix(matrix[:, None] if matrix.ndim == 1 else matrix, least_rows=1)
    mean = matrix.mean(axis=0)
    low, high = (mean.copy(), mean.copy()) if len(matrix) > 1 else (np.full_like(mean, np.nan), np.full_like(mean, np.nan))
    varied = np.flatnonzero(np.ptp(matrix, axis=0) > 0)  # SciPy has no interval for constant values
    if len(varied):
        found = stats.bootstrap(
            (matrix[:, varied],), np.mean, axis=0, n_resamples=n_resamples, confidence_level=confidence,
            method=method, rng=np.random.default_rng(random_state), vectorized=True,
        ).confidence_interval  # fmt: skip
        low[varied], high[varied] = found.low, found.high
    return BootstrapIntervals(mean, low, high)
