"""What figures read from tidy results: series by step and by repeat."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd


def aligned(results: pd.DataFrame, metric: str) -> pd.DataFrame:
    """A series with common steps, as ``repeat``, ``step`` and ``value``; empty where there is no such series.

    Where repeats have as many steps but not the same ones, the k-th steps are taken together: folds differ by a row, and so do
    the last steps of streams over them; the median step represents all. Results are those of one data set, setting and method.
    """
    chosen = results[(results["metric"] == metric) & (results["step"] >= 0)]
    values = chosen[["repeat", "step", "value"]].sort_values(["repeat", "step"])
    if values.empty or values.groupby("repeat")["step"].count().nunique() > 1:
        return values
    place = values.groupby("repeat").cumcount()
    return values.assign(step=values.groupby(place)["step"].transform("median").round().astype(int))


def mean_by_step(results: pd.DataFrame, metric: str) -> pd.Series:
    """The mean of a series over repeats, by step."""
    return aligned(results, metric).groupby("step")["value"].mean()


def series_of(results: pd.DataFrame, metric: str) -> np.ndarray:
    """A series of the first repeat that has it, in the order of its steps; empty where there is none."""
    steps = results[(results["metric"] == metric) & (results["step"] >= 0)]
    return steps[steps["repeat"] == steps["repeat"].min()].sort_values("step")["value"].to_numpy()


def series_by_repeat(tidy: pd.DataFrame, metric: str) -> pd.DataFrame:
    """One row per repeat and one column per step of a series in tidy results."""
    rows = tidy[(tidy["metric"] == metric) & (tidy["step"] >= 0)]
    return rows.pivot(index="repeat", columns="step", values="value")


def spread_within(
    low: float = -np.inf, high: float = np.inf, *, standard_error: bool = False
) -> Callable[[pd.Series], tuple[float, float]]:
    """The mean with one standard deviation, or error, to each side, inside what is possible: an ``errorbar`` for seaborn.

    >>> import pandas as pd
    >>> spread_within(0, 1)(pd.Series([0.8, 1.0]))
    (0.7585786437626906, 1.0)
    """

    def interval(values: pd.Series) -> tuple[float, float]:
        mean, sd = float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
        half = sd / np.sqrt(len(values)) if standard_error else sd
        return float(max(low, mean - half)), float(min(high, mean + half))

    return interval
