"""What tuning gains over defaults and loses against the oracle, by criterion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pulab.figures.levelfield import draw_intervals, family_looks
from pulab.figures.panels import make_page, method_handles
from pulab.figures.style import BLACK, Look
from pulab.tables.kinds.levelfield_tuning import ALL, gains_and_losses, tuned_scores
from pulab.tables.levelfield import METRICS, over_tasks


def draw(spec: Mapping[str, Any], tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration and tidy results."""
    parts: dict[tuple[str, str], dict[str, pd.DataFrame]] = {}
    methods: list[str] = []
    field = None
    for metric in spec["metrics"]:
        field, tuned = tuned_scores(spec, tidy, metric)
        found = {name: over_tasks(table) for name, table in gains_and_losses(tuned).items()}
        for kind in ("gain", "loss"):
            own = {name.partition(", ")[2]: part for name, part in found.items() if name.startswith(kind)}
            if own:
                parts[metric, kind] = own
        methods = field.ranked(tuned["none"].columns) if "none" in tuned else methods
    words = {"gain": "gained over defaults", "loss": "lost against the oracle"}
    titles = [f"{METRICS[metric]}: {words[kind]}" for metric, kind in parts]
    note = (
        "Means over tasks, with 95% bootstrap intervals; black: the mean over methods, others: method by method."
        if parts
        else ""
    )
    page = make_page(
        titles, note=note, shape=(max(len(spec["metrics"]), 1), 2) if parts else None, row_height=2.4, title_size=9
    )
    looks = family_looks(spec, methods)
    for ax, own in zip(page.axes, parts.values(), strict=False):
        _draw_criteria(ax, own, looks)
    if field is not None and parts:
        page.add_legend(method_handles(looks, field.labels), fontsize=7)
    return page.fig


def _draw_criteria(ax: Axes, found: Mapping[str, pd.DataFrame], looks: Mapping[str, Look]) -> None:
    names = list(found)
    for k, (method, look) in enumerate(looks.items()):
        each = pd.DataFrame({name: part.loc[method, ["mean"]] for name, part in found.items() if method in part.index}).T
        shift = 0.25 + 0.3 * k / max(len(looks), 1)
        bare = each.reindex(names).assign(low=float("nan"), high=float("nan"))
        draw_intervals(ax, bare, [look] * len(names), names=names, shift=shift)
    mean = pd.DataFrame({name: part.loc[ALL] for name, part in found.items()}).T
    draw_intervals(ax, mean, [Look(BLACK, "D")] * len(names), names=names)
    ax.set_ylim(len(names) - 0.3, -0.4)
    ax.set_xlabel("points")
