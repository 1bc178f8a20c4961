"""Seconds against mean rank, with the Pareto front; a panel per metric, every learner named at its point."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from pulab.figures.labels import label_points, quoted
from pulab.figures.panels import make_page
from pulab.figures.style import BLUE, INK, MUTED
from pulab.tables import Results
from studies.levelfield.field import METRICS, Field
from studies.levelfield.levels import MEASURES
from studies.levelfield.tables.costs import pareto_front, seconds, time_and_rank


def draw_costs(results: Results) -> Figure:
    """A panel per metric, with the Pareto front."""
    setting = "two_sample"
    field = Field.of(results, [setting], MEASURES)
    times = seconds(results.timings, setting)
    points = {metric: time_and_rank(times, field.ranking(setting, metric).ranks) for metric in MEASURES}
    points = {metric: found for metric, found in points.items() if len(found)}
    titles = [_finding(metric, found, field) for metric, found in points.items()]
    note = (
        "Seconds of fitting and predicting on one thread, the median over tasks. Filled, with the line: the Pareto "
        "front; no other learner is both faster and better ranked."
    )
    shape = (max(len(points), 1), 1)
    page = make_page(titles, note=note, shape=shape, row_height=3.1, title_size=9, sharex=True, sharey=True)
    corners = [draw_front(ax, found) for ax, found in zip(page.axes, points.values(), strict=True)]
    for ax, found, line in zip(page.axes, points.values(), corners, strict=True):
        named = found.sort_values("rank")
        label_points(ax, [(x, y, field.label(str(m))) for m, (x, y) in named.iterrows()], line=line)
    return page.fig


def draw_front(ax: Axes, points: pd.DataFrame) -> list[tuple[float, float]]:
    """A mark per method; those of the front are filled and joined.  Returns the corners of the line that joins them."""
    front = points.loc[pareto_front(points)]
    rest = points.drop(front.index)
    ax.step(front["seconds"], front["rank"], where="post", color=BLUE, linewidth=0.9, zorder=1)
    ax.plot(front["seconds"], front["rank"], color=BLUE, marker="o", markersize=5, linestyle="none")
    ax.plot(
        rest["seconds"], rest["rank"], color=MUTED, mec=INK, mew=0.6, mfc="white", marker="o", markersize=4.5, linestyle="none"
    )
    ax.set_xscale("log")
    low, high = points["seconds"].min(), points["seconds"].max()
    ax.set_xlim(low / 2, high * 6)
    ax.set_ylim(np.ceil(points["rank"].max()) + 0.8, 0.2)
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    ax.set(xlabel="seconds", ylabel="mean rank (1 is best)")
    before = front["rank"].shift()
    steps = [
        [(x, last), (x, y)] for x, y, last in zip(front["seconds"], front["rank"], before.fillna(front["rank"]), strict=True)
    ]
    return [corner for step in steps for corner in step]


def _finding(metric: str, points: pd.DataFrame, field: Field) -> str:
    best = points["rank"].idxmin()
    name = quoted(field.label(str(best)))
    return f"By {METRICS[metric]}, {name} ranks best and takes {points.loc[best, 'seconds']:.2g} s per task"
