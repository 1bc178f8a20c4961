"""Series by step and by repeat, from tidy results."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from pulib.statistics import mean_ci


def aligned(results: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return a series with common steps, as ``repeat``, ``step`` and ``value``; empty if there is none.

    If repeats have equally many steps but not the same ones, the k-th steps are aligned at their median: folds differ by a row,
    and so do the last steps of streams over them.  Results are those of one data set, setting and method.
    """
    chosen = results[(results["metric"] == metric) & (results["step"] >= 0)]
    values = chosen[["repeat", "step", "value"]].sort_values(["repeat", "step"])
    if values.empty or values.groupby("repeat")["step"].count().nunique() > 1:
        return values
    place = values.groupby("repeat").cumcount()
    return values.assign(step=values.groupby(place)["step"].transform("median").round().astype(int))


def mean_by_step(results: pd.DataFrame, metric: str) -> pd.Series:
    """Return the mean of a series over repeats, by step."""
    return aligned(results, metric).groupby("step")["value"].mean()


def series_of(results: pd.DataFrame, metric: str) -> np.ndarray:
    """Return a series of the first repeat that has it, in the order of its steps; empty if there is none."""
    steps = results[(results["metric"] == metric) & (results["step"] >= 0)]
    return steps[steps["repeat"] == steps["repeat"].min()].sort_values("step")["value"].to_numpy()


def series_by_repeat(tidy: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return a series as a frame with one row per repeat and one column per step."""
    rows = tidy[(tidy["metric"] == metric) & (tidy["step"] >= 0)]
    return rows.pivot(index="repeat", columns="step", values="value")


def spread_within(
    low: float = -np.inf, high: float = np.inf, *, standard_error: bool = False
) -> Callable[[pd.Series], tuple[float, float]]:
    """Return an ``errorbar`` for seaborn: the mean plus and minus one standard deviation, or error, within the given range.

    >>> import pandas as pd
    >>> spread_within(0, 1)(pd.Series([0.8, 1.0]))
    (0.7585786437626906, 1.0)
    """

    def interval(values: pd.Series) -> tuple[float, float]:
        mean, sd = float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
        half = sd / np.sqrt(len(values)) if standard_error else sd
        return float(max(low, mean - half)), float(min(high, mean + half))

    return interval


def interval_excludes_zero(values: pd.Series) -> bool:
    """Return whether the 95% interval of a mean excludes zero; False for fewer than three values.

    >>> interval_excludes_zero(pd.Series([1.0, 1.1, 1.2])), interval_excludes_zero(pd.Series([-1.0, 1.1, 1.2]))
    (True, False)
    """
    if len(values) < 3:
        return False
    found = mean_ci(values.to_numpy())
    return bool(found.low > 0 or found.high < 0)
