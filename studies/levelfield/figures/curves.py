"""Scores, or what is lost against a reference, by something that varies in steps: a line per learner on a numeric axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pulab.figures.labels import End, label_ends, quoted
from pulab.figures.panels import make_page
from pulab.figures.style import MUTED, Style, styles
from pulab.tables import Results
from pulab.tables.sentences import sentence_case
from studies.levelfield.field import METRICS, Field, best_of, over_tasks
from studies.levelfield.tables.curves import level_values

#: Of the panel, in inches.
HEIGHT = 3.6


@dataclass(frozen=True, kw_only=True)
class Steps:
    """What varies in steps, and how it is called.

    Attributes
    ----------
    levels : mapping of setting to str
        Numbers, as they stand on the axis.
    reference : str
        The setting that the others are compared with.
    xlabel, wording : str
        Of the axis, and of a level in a sentence, with ``{}`` in the place of the number.
    logarithmic : bool
    """

    levels: Mapping[str, str]
    reference: str = "two_sample"
    xlabel: str
    wording: str
    logarithmic: bool = False

    def said(self, level: str) -> str:
        return self.wording.format(level)


def draw_curves(results: Results, steps: Steps, metric: str, *, lost: bool = False) -> Figure:
    """The metric by level, or what is lost of it against the reference."""
    levels, reference = steps.levels, steps.reference
    field = Field.of(results, [*levels, reference], [metric])
    tables, tasks = shared_levels(field, levels, metric, reference, lost=lost)
    varied = [table for setting, table in tables.items() if setting != reference]
    methods = field.ranked(m for m in field.table.columns if any(m in table for table in varied))
    means = pd.DataFrame(
        {float(levels[setting]): 100 * table.mean() for setting, table in tables.items()}, index=methods
    ).dropna(how="all")
    note = f"Means over the {len(tasks)} tasks that have every level shown"
    heading = sentence_case(_finding(steps, metric, means, field, lost=lost)) if len(means) else ""
    page = make_page([""] if len(means) else [], row_height=HEIGHT, heading=heading, note=(
        f"{note}{'; fewer where a name says so' if _few(tables, means.index, len(tasks)) else ''}. "
        f"Shaded: 95% bootstrap interval of {field.label(_leader(means, lost=lost))}."
    ) if len(means) else "")  # fmt: skip
    for ax in page.axes:
        _draw_lines(ax, means, steps, metric, styles(means.index, results), field, tables, len(tasks), lost=lost)
        if not lost:
            scores = field.scores(reference, metric)
            draw_unranked(ax, scores.loc[scores.index.intersection(tasks)], field)
    return page.fig


def shared_levels(
    field: Field, levels: Mapping[str, str], metric: str, reference: str, *, lost: bool
) -> tuple[dict[str, pd.DataFrame], list[str]]:
    """The values of the levels that most tasks share, and these tasks."""
    values = {setting: level_values(field, setting, metric, reference if lost else "") for setting in levels}
    run = {setting: table.index for setting, table in values.items() if len(table)}
    chosen, tasks = largest_block({setting: index for setting, index in run.items() if setting != reference})
    shown = [setting for setting in run if setting in chosen or (setting == reference and chosen)]
    tasks = [task for task in tasks if reference not in shown or task in set(run[reference])]
    return {setting: values[setting].loc[tasks] for setting in shown}, tasks


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


def _draw_lines(
    ax: Axes,
    means: pd.DataFrame,
    steps: Steps,
    metric: str,
    style_of: Mapping[str, Style],
    field: Field,
    tables: Mapping[str, pd.DataFrame],
    n: int,
    *,
    lost: bool,
) -> None:
    few, leader = _few(tables, means.index, n), _leader(means, lost=lost)
    around = pd.DataFrame(
        {float(steps.levels[s]): over_tasks(table[[leader]]).iloc[0] for s, table in tables.items() if leader in table}
    ).T
    ax.fill_between(around.index, around["low"], around["high"], color=style_of[leader].color, alpha=0.13, linewidth=0)
    ends = []
    for method, values in means.iterrows():
        style, known = style_of[str(method)], values.dropna()
        ax.plot(known.index, known, color=style.color, marker=style.marker, markersize=4.5, linewidth=1.3)
        name = field.label(str(method)) + (f" ({few[method]} tasks)" if method in few else "")
        ends.append(End(float(known.index[-1]), float(known.iloc[-1]), name, style.color))
    if steps.logarithmic:
        ax.set_xscale("log")
        ax.minorticks_off()
    ax.set_xticks(means.columns, [f"{level:,g}" for level in means.columns])
    ax.set(xlabel=steps.xlabel, ylabel=f"{METRICS[metric]}{', points lost' if lost else ' in %'}")
    label_ends(ax, ends, height=HEIGHT - 0.6)


def _few(tables: Mapping[str, pd.DataFrame], methods: pd.Index, n: int) -> dict[str, int]:
    """Methods that have fewer tasks than others, and how many."""
    tasks = {m: min(int(table[m].notna().sum()) for table in tables.values() if m in table) for m in methods}
    return {method: number for method, number in tasks.items() if number < n}


def _leader(means: pd.DataFrame, *, lost: bool) -> str:
    """Who is best on average over all levels."""
    average = means.mean(axis=1)
    return str(average.idxmin() if lost else average.idxmax())


def _finding(steps: Steps, metric: str, means: pd.DataFrame, field: Field, *, lost: bool) -> str:
    """Who is best, and who worst, where most is lost; or who leads at both ends."""
    if lost:
        level = means.mean().idxmax()
        at = means[level].dropna()
        least, most = at.idxmin(), at.idxmax()
        return (
            f"{steps.said(f'{level:g}')}, {quoted(field.label(least))} loses least ({at[least]:.1f} points), "
            f"{quoted(field.label(most))} most ({at[most]:.1f})"
        )
    first, last = means.columns[0], means.columns[-1]
    names = [quoted(field.label(means[level].idxmax())) for level in (first, last)]
    best = [f"{means[level].max():.1f}%" for level in (first, last)]
    found = f"{steps.said(f'{first:,g}')}, {names[0]} has the best {METRICS[metric]} ({best[0]})"
    return (
        f"{found}, and with {last:,g}, too ({best[1]})"
        if names[0] == names[1]
        else f"{found}; with {last:,g}, {names[1]} ({best[1]})"
    )


def draw_unranked(ax: Axes, scores: pd.DataFrame, field: Field) -> None:
    """The best ceiling and the best trivial classifier of each task, in the reference."""
    for role, label, line in (("ceiling", "best with true labels", "--"), ("trivial", "best trivial", ":")):
        best = 100 * best_of(scores, field.of_role(scores.columns, role)).mean()
        if not np.isnan(best):
            ax.axhline(best, linewidth=1.1, color=MUTED, linestyle=line, zorder=1)
            place = {"transform": ax.get_yaxis_transform(), "va": "bottom", "fontsize": 7, "color": "#555555"}
            ax.text(0.01, best, label, **place)  # type: ignore[arg-type]
