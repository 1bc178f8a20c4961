"""Seconds against mean rank, with the Pareto front; a panel per metric."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from pulab.figures.levelfield import families_of, family_looks
from pulab.figures.panels import make_page, method_handles
from pulab.figures.style import BLACK, Look
from pulab.tables.kinds.levelfield_costs import pareto_front, seconds, time_and_rank
from pulab.tables.levelfield import METRICS, Field
from pulab.trials import results


def draw(spec: Mapping[str, Any], tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration, tidy results, and the file of their times."""
    setting = spec["setting"]
    field = Field.of(spec, tidy, [setting], spec["metrics"])
    times = seconds(results.read(spec["timings"]), setting)
    points = {metric: time_and_rank(times, field.ranking(setting, metric).ranks) for metric in spec["metrics"]}
    points = {metric: found for metric, found in points.items() if len(found)}
    families = families_of(spec, field, [m for found in points.values() for m in found.index])
    look_of = family_looks(spec, [m for members in families.values() for m in members])
    titles = [f"rank by {METRICS[metric]}" for metric in points]
    note = (
        "Seconds of fitting and predicting, one thread: the median over tasks. The line joins the learners on the Pareto front."
    )
    page = make_page(titles, note=note if points else "", row_height=3.6, extra=1.6)
    for ax, found in zip(page.axes, points.values(), strict=True):
        draw_front(ax, found, look_of, field.labels)
    page.add_legend(method_handles(look_of, field.labels), fontsize=6.5)
    return page.fig


def draw_front(ax: Axes, points: pd.DataFrame, looks: Mapping[str, Look], labels: Mapping[str, str]) -> None:
    """A marker per method, and the front, whose methods are named."""
    front = points.loc[pareto_front(points)]
    ax.step(front["seconds"], front["rank"], where="post", color=BLACK, linewidth=0.9, zorder=1)
    for method, (x, y) in points.iterrows():
        look = looks[str(method)]
        ax.plot([x], [y], color=look.color, marker=look.marker, markersize=6, markeredgecolor="white", markeredgewidth=0.4)
    raised, before = 3, np.inf
    for method, (x, y) in front.iterrows():
        # nothing can stand above and left of a point of the front but the name of one of nearly the same rank
        raised, before = (raised + 8 if before - y < 1 else 3), y
        place: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "va": "bottom", "fontsize": 6.5}
        ax.annotate(labels.get(str(method), str(method)), (x, y), (-3, raised), **place)
    ax.set_xscale("log")
    ax.set_xlim(left=points["seconds"].min() / 25)
    ax.set_ylim(np.ceil(points["rank"].max()) + 0.5, 0.5)
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="seconds", ylabel="mean rank (1 is best)")
