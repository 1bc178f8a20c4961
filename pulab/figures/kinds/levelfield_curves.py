"""Scores, or what is lost against a reference, where something varies in steps: a panel per family, a line per method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pulab.figures.levelfield import CEILING, TRIVIAL, families_of, family_looks, unranked_handles
from pulab.figures.panels import make_page, method_handles
from pulab.figures.style import Look
from pulab.tables.kinds.levelfield_curves import level_values
from pulab.tables.levelfield import METRICS, Field, best_of, over_tasks


def draw(spec: Mapping[str, Any], tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration and tidy results; ``levels`` go from left to right."""
    metric, lost = spec["metric"], bool(spec.get("lost"))
    reference = next(iter(spec["reference"]))
    field = Field.of(spec, tidy, [*spec["levels"], reference], [metric])
    values = {setting: level_values(field, setting, metric, reference if lost else "") for setting in spec["levels"]}
    run = {setting: table.index for setting, table in values.items() if len(table)}
    chosen, tasks = largest_block({setting: index for setting, index in run.items() if setting != reference})
    levels = [setting for setting in run if setting in chosen or (setting == reference and chosen)]
    tasks = [task for task in tasks if reference not in levels or task in set(run[reference])]
    tables = [values[setting].loc[tasks] for setting in levels]
    varied = [table for setting, table in zip(levels, tables, strict=True) if setting != reference]
    methods = [m for m in field.table.columns if any(m in table for table in varied)]
    families = families_of(spec, field, methods)
    look_of = family_looks(spec, field.ranked(methods))
    note = f"{len(tasks)} tasks that have every level shown; means over them, with 95% bootstrap intervals." if families else ""
    longest = max(map(len, families.values()), default=0)
    height = 2.2 + 0.13 * longest
    page = make_page(list(families), note=note, row_height=height, extra=0.5, title_size=9, sharey=True)
    labels = [str(spec["levels"][setting]) for setting in levels]
    beside = field.scores(reference, metric)
    for ax, members in zip(page.axes, families.values(), strict=True):
        draw_steps(ax, tables, {m: look_of[m] for m in members})
        if not lost:
            draw_unranked(ax, beside.loc[beside.index.intersection(tasks)], field)
        ax.set_xticks(range(len(labels)), labels)
        ax.set(xlabel=spec["xlabel"], ylabel=f"{METRICS[metric]}, points lost" if lost else f"{METRICS[metric]} in %")
        handles = method_handles({m: look_of[m] for m in members}, field.labels)
        place: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.45, -0.22)}
        ax.legend(handles=handles, fontsize=6.5, handlelength=1.4, labelspacing=0.25, **place)
    if not lost and families:
        page.add_legend(unranked_handles())
    return page.fig


def largest_block(tasks: Mapping[str, Sequence[str]]) -> tuple[list[str], list[str]]:
    """Levels and the tasks that have them all: as many of both as go together.

    >>> largest_block({"10": ["a", "b", "c"], "30": ["a", "b", "c"], "1000": ["a"]})
    (['10', '30'], ['a', 'b', 'c'])
    """
    best: tuple[list[str], list[str]] = ([], [])
    order = sorted(tasks, key=lambda level: -len(tasks[level]))
    for k in range(1, len(order) + 1):
        chosen = [level for level in tasks if level in order[:k]]
        common = sorted(set.intersection(*(set(tasks[level]) for level in chosen)))
        if len(chosen) * len(common) >= len(best[0]) * len(best[1]) and common:
            best = chosen, common
    return best


def draw_steps(ax: Axes, tables: Sequence[pd.DataFrame], looks: Mapping[str, Look]) -> None:
    """Mean and interval of each method at each level, beside each other."""
    for k, (method, look) in enumerate(looks.items()):
        found = [over_tasks(table[[method]]) if method in table else pd.DataFrame() for table in tables]
        known = [i for i, part in enumerate(found) if len(part)]
        mean, low, high = np.array([found[i].loc[method, ["mean", "low", "high"]] for i in known], dtype=float).T
        x = np.array(known) + 0.05 * (k - (len(looks) - 1) / 2)
        around = np.nan_to_num([mean - low, high - mean])
        ax.errorbar(
            x, mean, yerr=np.maximum(around, 0.0), color=look.color, marker=look.marker, markersize=4, linewidth=1.3,
            elinewidth=0.7, capsize=1.5,
        )  # fmt: skip


def draw_unranked(ax: Axes, scores: pd.DataFrame, field: Field) -> None:
    """The best ceiling and the best trivial classifier of each task, in the reference."""
    for role, look in (("ceiling", CEILING), ("trivial", TRIVIAL)):
        best = 100 * best_of(scores, field.of_role(scores.columns, role)).mean()
        if not np.isnan(best):
            ax.axhline(best, linewidth=1.2, **look)
