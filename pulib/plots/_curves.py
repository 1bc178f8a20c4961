"""Curves by round or epoch: the mean over repeats, and their spread as a band; and the panels that such figures consist of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def summarize_curve(results: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Mean and sd (``ddof=1``; 0 where there is one repeat) of a series, by step.

    Parameters
    ----------
    results : DataFrame
        Tidy results of one data set, setting and method.
    metric : str
        A series' name.

    Returns
    -------
    DataFrame with the columns ``step``, ``mean`` and ``sd``, in the order of the steps; empty where there is no such series.
    """
    grouped = results[(results["metric"] == metric) & (results["step"] >= 0)].groupby("step")["value"]
    return pd.DataFrame({"mean": grouped.mean(), "sd": grouped.std(ddof=1).fillna(0.0)}).reset_index()


def plot_curve(
    ax: Axes,
    results: pd.DataFrame,
    metric: str,
    *,
    label: str,
    color: Any,
    band: bool = True,
    scale: float = 100.0,
    **line: Any,
) -> bool:
    """Draw a series' mean by step, with one standard deviation to each side as a band.

    Parameters
    ----------
    ax : Axes
    results : DataFrame
        Tidy results of one data set, setting and method.
    metric : str
    label, color
        Of the line.
    band : bool
    scale : float
        Factor of the values: 100 shows shares as percentages.
    **line
        Further properties of the line.

    Returns
    -------
    bool
        Whether there was anything to draw.

    Examples
    --------
    >>> import pandas as pd
    >>> from matplotlib.figure import Figure
    >>> from pulib.plots import plot_curve
    >>> tidy = pd.DataFrame({"metric": "accuracy", "step": [1, 2, 1, 2], "value": [0.5, 0.7, 0.6, 0.9]})
    >>> ax = Figure().add_subplot()
    >>> plot_curve(ax, tidy, "accuracy", label="Ada-PU", color="C0")
    True
    >>> ax.get_lines()[0].get_ydata().round(6).tolist()
    [55.0, 80.0]
    """
    summary = summarize_curve(results, metric)
    if summary.empty:
        return False
    steps, mean, sd = (summary[name].to_numpy(dtype=float) for name in ("step", "mean", "sd"))
    ax.plot(steps, scale * mean, label=label, color=color, **line)
    if band and np.any(sd > 0):
        ax.fill_between(steps, scale * (mean - sd), scale * (mean + sd), color=color, alpha=0.18, linewidth=0)
    return True


def panel_sets(
    wanted: Iterable[str], known: Iterable[str], stand_ins: Mapping[str, str], titles: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Data sets to show and their titles: those of the paper that there are, each stand-in once and named as such.

    >>> panel_sets(["mnist", "cifar10"], ["digits"], {"mnist": "digits", "cifar10": "digits"}, {"digits": "digits"})
    [('digits', 'digits (stand-in)')]
    """
    known, shown = set(known), {}
    for name in wanted:
        stand_in = stand_ins.get(name)
        actual = stand_in or name
        if actual in known and (actual not in shown or not stand_in):
            shown[actual] = _short(titles.get(actual, actual)) + (" (stand-in)" if stand_in else "")
    return list(shown.items())


def _short(title: str, most: int = 24) -> str:
    """As much of a title as a panel has room for: what stands before its first comma."""
    return title if len(title) <= most else title.split(",")[0]


def make_panels(fig: Figure, sets: list[tuple[str, str]], *, columns: int = 3) -> list[Axes]:
    """One titled panel per data set, or a single one that says that there is nothing to draw."""
    if not sets:
        ax = fig.add_subplot()
        ax.set_axis_off()
        ax.text(0.5, 0.5, "nothing to draw in this run", ha="center", va="center")
        return []
    columns = min(columns, len(sets))
    axes = fig.subplots(-(-len(sets) // columns), columns, squeeze=False).ravel()
    for ax, (_, title) in zip(axes, sets, strict=False):
        ax.set_title(title, loc="left")
    for ax in axes[len(sets) :]:
        ax.set_axis_off()
    return list(axes[: len(sets)])
