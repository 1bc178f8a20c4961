"""Speed: how many times faster than a reference, and how time and memory grow with the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, Locator, LogLocator, MaxNLocator, NullFormatter

from pulib._benchmarks import LEAST_MEMORY, slopes
from pulib.plots._style import PAGE, colors_of, markers_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: What is shown of a series: column, label of the axis, and the least value that is measured well.
QUANTITIES = {"seconds": ("seconds", 0.0), "memory_mb": ("peak memory in MB", LEAST_MEMORY)}
_AXES = {"n": "rows n", "d": "features d"}


def plot_ratios(ax: Axes, table: pd.DataFrame) -> None:
    """A point per comparison, the reference's time over ours, with the range from worst to best run.

    Parameters
    ----------
    ax : Axes
    table : DataFrame
        With the columns of :data:`pulib._benchmarks._record.COLUMNS`; the rows that are comparisons are drawn, first on top.
    """
    rows = table[(table["kind"] == "ratio") & table["ratio"].notna()]
    places = np.arange(len(rows))[::-1]
    faster = rows["ratio"].to_numpy() >= 1
    spread = np.abs(rows[["ratio_min", "ratio_max"]].to_numpy().T - rows["ratio"].to_numpy())
    ax.axvline(1.0, color="#888888", linewidth=1, zorder=1)
    for chosen, color in ((faster, "#0072B2"), (~faster, "#D55E00")):
        ax.errorbar(
            rows["ratio"][chosen], places[chosen], xerr=spread[:, chosen], fmt="o", color=color, capsize=2, linewidth=1.2
        )
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(_log_ticks(*ax.get_xlim()))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}x"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_yticks(places, _ratio_labels(rows), fontsize=6.5)
    ax.set_ylim(-0.7, len(rows) - 0.3)
    ax.set_xlabel("times faster: median, worst, best")


def _ratio_labels(rows: pd.DataFrame) -> list[str]:
    """What is done to what; with as much of the shape, and of the reference, as tells the comparisons apart."""
    short = [f"{row.benchmark} ({row.shape.partition(',')[0]})" for row in rows.itertuples()]
    longer = [f"{row.benchmark} ({row.shape})" for row in rows.itertuples()]
    full = [
        f"{row.benchmark.rpartition(': ')[2]} ({row.shape.partition(',')[0]}): {row.reference}" for row in rows.itertuples()
    ]
    chosen = []
    for one, two, three in zip(short, longer, full, strict=True):
        chosen.append(one if short.count(one) == 1 else two if longer.count(two) == 1 else three)
    return chosen


def plot_scaling(ax: Axes, table: pd.DataFrame, axis: str, value: str) -> bool:
    """Lines of a quantity over a size, both logarithmic, with each line's slope in the legend.

    Parameters
    ----------
    ax : Axes
    table : DataFrame
    axis : {"n", "d"}
    value : {"seconds", "memory_mb"}

    Returns
    -------
    drawn : bool
        Whether there was anything to draw.
    """
    label, least = QUANTITIES[value]
    rows = table[(table["kind"] == "scaling") & (table["axis"] == axis)]
    names = list(dict.fromkeys(table.loc[table["kind"] == "scaling", "benchmark"]))
    colors, markers, found = colors_of(names), markers_of(names), slopes(rows, value, least)
    drawn = False
    for name, series in rows.groupby("benchmark", sort=False):
        used = series[(series[value] > 0) & (series[value] >= least)]
        if used.empty:
            continue
        slope = found[name, axis]
        text = str(name) if np.isnan(slope) else f"{name}: {slope:.2f}"
        ax.plot(used["size"], used[value], marker=markers[str(name)], color=colors[str(name)], label=text)
        drawn = True
    if drawn:
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xlabel(_AXES[axis])
        ax.set_ylabel(label)
        for which in (ax.xaxis, ax.yaxis):
            which.set_major_formatter(FuncFormatter(_plain))
            which.set_minor_formatter(NullFormatter())
        ax.xaxis.set_major_locator(_log_ticks(*ax.get_xlim()))
        ax.yaxis.set_major_locator(_log_ticks(*ax.get_ylim()))
        below = ax.legend(
            fontsize=6.5, title="log-log slope", title_fontsize=6.5, loc="upper center", bbox_to_anchor=(0.5, -0.22)
        )
        below.set_alignment("left")
    return drawn


def _log_ticks(low: float, high: float) -> Locator:
    """Powers of ten, and as many of their multiples as a short range needs to have several ticks; even steps below 3 to 1."""
    if high / low < 3:
        return MaxNLocator(5, steps=[1, 2, 5, 10])  # 1 is among them wherever it is in range
    subs = (1.0,) if high / low > 300 else (1.0, 2.0, 5.0) if high / low > 12 else (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
    return LogLocator(subs=subs, numticks=12)


def _plain(x: float, _position: object) -> str:
    if x >= 1e6:
        return f"{x / 1e6:g}M"
    return f"{x / 1e3:g}k" if x >= 1e4 else f"{x:g}"


def scaling_figure(table: pd.DataFrame, title: str) -> Figure:
    """Comparisons on top, below them time and memory over n and d, as far as they were measured.

    Parameters
    ----------
    table : DataFrame
    title : str

    Returns
    -------
    fig : Figure
    """
    scaling = table[table["kind"] == "scaling"]
    panels = [(axis, value) for axis in _AXES for value in QUANTITIES if _any_usable(scaling, axis, value)]
    n_ratios = int((table["ratio"].notna()).sum())
    first = int(n_ratios > 0)
    heights = [0.5 + 0.17 * n_ratios] * first + [3.3] * (-(-len(panels) // 2))
    if not heights:  # a package or the data could not be had; the table says which
        fig = Figure(figsize=(PAGE, 1.0))
        fig.suptitle(f"{title}: not measured here")
        return fig
    fig = Figure(figsize=(PAGE, sum(heights) + 0.4))
    fig.suptitle(title)
    # apart from each other, so that long labels of the comparisons leave the panels their width
    parts = fig.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
    if n_ratios:
        plot_ratios(parts[0].add_subplot(), table)
    for k, (axis, value) in enumerate(panels):
        plot_scaling(parts[first + k // 2].add_subplot(1, 2, 1 + k % 2), table, axis, value)
    return fig


def _any_usable(scaling: pd.DataFrame, axis: str, value: str) -> bool:
    least = QUANTITIES[value][1]
    return bool(((scaling["axis"] == axis) & (scaling[value] > 0) & (scaling[value] >= least)).any())
