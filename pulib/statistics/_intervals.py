"""Confidence intervals of means."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np
from scipy import stats
from sklearn.utils._param_validation import Interval, StrOptions, validate_params

from pulib._typing import ArrayLike
from pulib.statistics._check import finite_vector


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
