"""Dot plots of the level field: a panel per metric, a row per learner or level, and means with intervals over tasks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pulab.figures.panels import Page, make_page
from pulab.figures.style import BLUE, GREEN, INK, MUTED, PINK, VERMILION
from studies.levelfield.field import Field, mean_over_methods, over_tasks
from studies.levelfield.levels import METRICS

#: By metric and series: a row per task, and a column per row of the figure.
Panels = Mapping[str, Mapping[str, pd.DataFrame]]


def draw_learners(
    field: Field,
    panels: Panels,
    series: Mapping[str, str],
    order: pd.Series,
    heading: str,
    note: str,
    xlabel: str,
    *,
    sharex: bool = True,
) -> Page:
    """Draw a row per learner, with the lowest values of ``order`` first, and a mark per level."""
    first = next((own for own in panels.values() if own), {})
    tasks = pd.DataFrame({setting: table.count() for setting, table in first.items() if table.size}).min(axis=1)
    few = {m: f" ({n:.0f} task{'s' * (n != 1)})" for m, n in tasks.items() if n < tasks.max()}
    learners = [*order.sort_values(kind="stable").index, *tasks.index.difference(order.index, sort=False)]
    rows = {method: field.label(method) + few.get(method, "") for method in learners}
    fewer = ", or the number given next to a name," if few else ""
    note = f"{note}. Means over {tasks.max():.0f} tasks{fewer} with 95% bootstrap intervals."
    return draw_dots(panels, rows, series, heading, note, xlabel, sharex=sharex)


def draw_means(panels: Panels, rows: Mapping[str, str], heading: str, note: str, xlabel: str) -> Figure:
    """Draw a row per level: the mean over learners with its interval, and above it each learner's own mean."""
    own = {metric: {s: table for s, table in tables.items() if table.size} for metric, tables in panels.items()}
    means = {m: {"": pd.DataFrame({s: mean_over_methods(t) for s, t in tables.items()})} for m, tables in own.items() if tables}
    tasks, learners = next((table.shape for tables in own.values() for table in tables.values()), (0, 0))
    note += (
        f". Circles: means over {learners} learners and {tasks} tasks with 95% bootstrap intervals; ticks: each learner's mean."
    )
    page = draw_dots(means, rows, {"": ""}, heading, note, xlabel)
    for ax, metric in zip(page.axes, means, strict=True):
        for k, setting in enumerate(rows):
            each = 100 * own[metric][setting].mean() if setting in own[metric] else []
            ax.plot(each, np.full(len(each), k - 0.3), linestyle="none", marker="|", markersize=6, color=MUTED, zorder=1)
    return page.fig


def draw_dots(
    panels: Panels,
    rows: Mapping[str, str],
    series: Mapping[str, str],
    heading: str,
    note: str,
    xlabel: str,
    *,
    sharex: bool = True,
) -> Page:
    """Draw a panel per metric, a row per name, and a mark per series: the mean over tasks with its interval, in points."""
    panels = {metric: {s: t for s, t in own.items() if t.size} for metric, own in panels.items()}
    panels = {metric: own for metric, own in panels.items() if own}
    shown = [name for name in series if any(name in own for own in panels.values())]
    page = make_page(
        [METRICS[metric] for metric in panels], heading=heading, note=note, sharex=sharex, sharey=True, title_size=9,
        row_height=1.1 + (0.1 + 0.07 * len(shown) if len(shown) > 1 else 0.31) * max(len(rows), 3),
    )  # fmt: skip
    # long names are wider at another resolution than the one used for layout
    page.fig.set_layout_engine("constrained", rect=(0.03, 0, 0.97, 1))
    styles = dict(zip(shown, zip(_colors([series[name] for name in shown]), "os^vPX", strict=False), strict=False))
    for k, (ax, own) in enumerate(zip(page.axes, panels.values(), strict=True)):
        for j, (name, table) in enumerate(own.items()):
            found, (color, marker) = over_tasks(table).reindex(list(rows)), styles[name]
            places = np.arange(len(rows)) + 0.7 * ((j + 0.5) / len(own) - 0.5)
            ax.hlines(places, found["low"], found["high"], color=color, linewidth=1.0, zorder=2)
            ax.plot(found["mean"], places, color=color, marker=marker, markersize=4, linestyle="none", zorder=3)
        if xlabel.startswith("points"):
            ax.axvline(0.0, color="#444444", linewidth=0.8, zorder=1)
        ax.set_yticks(range(len(rows)), list(rows.values()))
        ax.tick_params(axis="y", labelsize=7.5, labelleft=k == 0)
        ax.set(xlabel=xlabel, ylim=(len(rows) - 0.4, -0.6))
        ax.grid(axis="y", visible=False)
    if len(shown) > 1:
        handles = [Line2D([], [], color=c, marker=m, linestyle="none", label=series[name]) for name, (c, m) in styles.items()]
        page.add_legend(handles)
    return page


def _colors(names: Sequence[str]) -> list[Any]:
    """Return shades, in order, for levels whose names differ only in numbers, and hues for the others."""
    kinds = [re.sub(r"[\d.,]+", "", name) for name in names]
    alike = kinds.count(kinds[0]) if kinds else 0
    shades = iter(colormaps["viridis_r"](np.linspace(0.12, 1.0, alike)) if alike > 1 else [INK])
    hues = iter((VERMILION, BLUE, GREEN, PINK))
    return [next(shades if kind == kinds[0] else hues) for kind in kinds]
