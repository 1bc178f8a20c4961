"""Curves of a number by a setting's value or by steps: mean over repeats, with their spread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def aligned(results: pd.DataFrame, metric: str) -> pd.DataFrame:
    """A series with common steps: where repeats have as many steps but not the same ones, the k-th steps are taken together.

    Folds differ by a row, and so do the last steps of streams over them; the median step stands for all.
    """
    values = results[results["metric"] == metric][["repeat", "step", "value"]].sort_values(["repeat", "step"])
    if values.empty or values.groupby("repeat")["step"].count().nunique() > 1:
        return values
    place = values.groupby("repeat").cumcount()
    return values.assign(step=values.groupby(place)["step"].transform("median").round().astype(int))


def curve_summary(results: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Mean, sd (0 where there is one repeat) and count of a series, by step.

    Parameters
    ----------
    results : DataFrame
        Tidy results of one data set, setting and method.
    metric : str
        A series' name.

    Returns
    -------
    DataFrame with the columns ``step``, ``mean``, ``sd`` and ``n``, in the order of the steps.
    """
    grouped = aligned(results, metric).groupby("step")["value"]
    return pd.DataFrame({"mean": grouped.mean(), "sd": grouped.std(ddof=1).fillna(0.0), "n": grouped.count()}).reset_index()


def plot_sensitivity(
    ax: Axes, results: pd.DataFrame, metric: str, *, label: str, color: str, marker: str = "o", logarithmic: bool = False
) -> bool:
    """Mean with error bars by step.

    Parameters
    ----------
    ax : Axes
    results : DataFrame
        Tidy results of one data set, setting and method.
    metric : str
    label, color, marker : str
    logarithmic : bool
        The steps are millionths on a logarithmic axis; else they are percents.

    Returns
    -------
    bool
        Whether there was anything to draw.
    """
    summary = curve_summary(results, metric)
    if summary.empty:
        return False
    x = summary["step"].to_numpy() / (1e6 if logarithmic else 100)
    ax.errorbar(x, summary["mean"], summary["sd"], label=label, color=color, marker=marker, capsize=2, elinewidth=0.8)
    if logarithmic:
        ax.set_xscale("log")
    return True


def plot_learning_curve(ax: Axes, results: pd.DataFrame, metric: str, *, label: str, color: str, **line: Any) -> bool:
    """Mean by rows seen on a logarithmic axis, and the sd as a band; True where there was anything to draw."""
    summary = curve_summary(results, metric)
    if summary.empty:
        return False
    low, high = summary["mean"] - summary["sd"], summary["mean"] + summary["sd"]
    ax.plot(summary["step"], summary["mean"], label=label, color=color, **line)
    ax.fill_between(summary["step"], low, np.minimum(high, 1.0), color=color, alpha=0.15, linewidth=0)
    ax.set_xscale("log")
    return True


def plot_by_setting(
    ax: Axes, results: pd.DataFrame, settings: Mapping[str, str], *, label: str, color: str, marker: str = "o"
) -> bool:
    """Mean and sd of one scalar by setting, in the order given.

    Parameters
    ----------
    ax : Axes
    results : DataFrame
        Tidy results of one data set, method and metric.
    settings : mapping of label to setting
    label, color, marker : str

    Returns
    -------
    bool
        Whether there was anything to draw.
    """
    grouped = results.groupby("setting")["value"]
    means, spreads = grouped.mean(), grouped.std(ddof=1).fillna(0.0)
    places = [(text, name) for text, name in settings.items() if name in means]
    if not places:
        return False
    ax.errorbar(
        [list(settings).index(text) for text, _ in places],
        [means[name] for _, name in places],
        [spreads[name] for _, name in places],
        label=label,
        color=color,
        marker=marker,
        capsize=2,
        elinewidth=0.8,
    )
    ax.set_xticks(range(len(settings)), list(settings))
    ax.set_xlim(-0.3, len(settings) - 0.7)
    return True


def say_nothing_to_draw(ax: Axes) -> None:
    """Write on an empty panel that it is empty because this run has no such results."""
    ax.text(0.5, 0.5, "not part of this run", transform=ax.transAxes, ha="center", va="center", color="#777777", fontsize=8)
    ax.set_xticks([])
    ax.set_yticks([])
