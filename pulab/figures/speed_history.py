"""How the ratios of the kernels to their references changed from commit to commit."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullFormatter

from pulab.benchmarks.history import WHAT
from pulib.plots import MARKERS, PAGE, PALETTE

#: Of a comparison's name, in characters.
_LONGEST = 62


def history_figure(history: pd.DataFrame, titles: Mapping[str, str]) -> Figure:
    """A row per comparison that was measured at two commits or more; in it a point per measurement, the latest one at the foot.

    Parameters
    ----------
    history : DataFrame
        With the columns of :data:`pulab.benchmarks.history.COLUMNS`.
    titles : mapping of str to str
        From a kernel to its title; kernels that are not in it are left out.

    Returns
    -------
    fig : Figure
        Color and marker tell the machine; the latest measurement of each is filled.
    """
    rows = history[history["kernel"].isin(list(titles))].sort_values("date", kind="stable")
    rows = rows[rows.groupby(WHAT)["ratio"].transform("size") > 1]
    if rows.empty:
        fig = Figure(figsize=(PAGE, 1.0))
        fig.suptitle("Nothing has been measured at two commits yet")
        return fig
    lines = list(rows.groupby(WHAT, sort=True))
    fig = Figure(figsize=(PAGE, 1.2 + 0.3 * len(lines)), layout="constrained")
    ax = fig.add_subplot()
    machines = list(dict.fromkeys(rows["machine"]))
    latest = set(rows.groupby([*WHAT, "machine"]).tail(1).index)
    for place, (_, line) in enumerate(lines):
        heights = -place + np.linspace(0.25, -0.25, len(line))
        ax.plot(line["ratio"], heights, color="#BBBBBB", linewidth=0.8, zorder=1)
        for point, height in zip(line.itertuples(), heights, strict=True):
            i = machines.index(point.machine)
            spread = [[point.ratio - point.ratio_min], [point.ratio_max - point.ratio]]
            face = PALETTE[i] if point.Index in latest else "white"
            style: dict[str, Any] = {"fmt": MARKERS[i], "color": PALETTE[i], "mfc": face, "markersize": 4, "linewidth": 0.8}
            ax.errorbar(point.ratio, height, xerr=spread, **style)
    names = [f"{titles[kernel]}: {benchmark}, {shape}" for (kernel, benchmark, shape, *_), _ in lines]
    ax.set_yticks(-np.arange(len(lines)), [textwrap.shorten(name, _LONGEST, placeholder=" …") for name in names], fontsize=6)
    ax.set_ylim(-len(lines) + 0.4, 0.6)
    ax.axvline(1.0, color="#888888", linestyle="--", linewidth=1, zorder=0)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}x"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel("times faster than the reference: median, worst and best run")
    ax.grid(axis="y", visible=False)
    first, last = rows["date"].min(), rows["date"].max()
    faster = (rows.loc[rows.index.isin(latest), "ratio"] > 1).mean()
    title = f"{faster:.0%} of the latest comparisons are faster than the reference ({first} to {last})"
    ax.set_title(title, loc="left", fontsize=9)
    marks = [
        Line2D([], [], marker=MARKERS[i], color=PALETTE[i], linestyle="none", label=name) for i, name in enumerate(machines)
    ]
    marks.append(Line2D([], [], marker="o", color="#444444", mfc="white", linestyle="none", label="an earlier commit"))
    fig.legend(handles=marks, loc="outside lower center", ncols=len(marks), fontsize=7)
    return fig
