"""How far the probabilities of each learner are from the shares that they promise: a panel per metric, a row per learner."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pulab.figures.panels import make_page
from pulab.figures.style import INK, MUTED
from pulab.tables import Results
from studies.levelfield.drawing import draw_intervals, leave_room_for_names, name_rows
from studies.levelfield.field import METRICS, Field, best_of, complete_blocks, over_tasks
from studies.levelfield.levels import REFERENCES


def draw_calibration(results: Results) -> Figure:
    """A panel per metric, learners from the best calibrated on."""
    settings, metrics = REFERENCES, ("calibration_error", "brier")
    field = Field.of(results, settings, metrics)
    scores = {(s, m): field.scores(s, m) for m in metrics for s in settings}
    found = {place: over_tasks(complete_blocks(own[field.ranked(own.columns)])[0]) for place, own in scores.items() if len(own)}
    first = found.get((next(iter(settings)), metrics[0]), pd.DataFrame({"mean": []}))
    learners = list(first["mean"].sort_values(kind="stable").index)
    there = set(results.tidy["method"].unique())
    without = [m for m in field.ranked(results.labels) if m in there and m not in learners]
    title, note = "", ""
    if learners:
        best = learners[0]
        title = (
            f"Best calibrated: {field.label(best)}, with a {METRICS[metrics[0]]} of "
            f"{first.loc[best, 'mean'] / 100:.3f} on average"
        )
        note = (
            f"Smaller is better. Marks: means over {int(first['tasks'].max())} tasks with 95% bootstrap "
            f"intervals, in hundredths. "
            "Dashed: the best classifier with true labels."
        )
    if learners and without:
        note += f" Without probabilities, or with too few tasks: {'; '.join(field.label(m) for m in without)}."
    page = make_page(
        [METRICS[m] for m in metrics] if learners else [], note=note, heading=title,
        shape=(1, len(metrics)) if learners else None, row_height=0.9 + 0.22 * max(len(learners), 3), title_size=9, sharey=True,
    )  # fmt: skip
    leave_room_for_names(page.fig)
    styles = dict(zip(settings, ((INK, "o"), (MUTED, "s")), strict=False))
    for k, (ax, metric) in enumerate(zip(page.axes, metrics, strict=False)):
        for j, (setting, (color, marker)) in enumerate(styles.items()):
            if (setting, metric) in found:
                draw_intervals(ax, found[setting, metric].reindex(learners), color=color, marker=marker, shift=0.28 * (j - 0.5))
        _draw_ceiling(ax, field, scores[next(iter(settings)), metric])
        name_rows(ax, [field.label(m) for m in learners], zero=False)
        ax.tick_params(labelleft=k == 0)
        ax.set(xlim=(0, None), xlabel="hundredths")
    if learners:
        page.add_legend(
            [
                Line2D([], [], color=c, marker=m, linestyle="none", label=settings[s])
                for s, (c, m) in styles.items()
                if s in settings
            ]
        )
    return page.fig


def _draw_ceiling(ax: Any, field: Field, scores: pd.DataFrame) -> None:
    """The least value of the classifiers that are trained on true labels, the mean over tasks."""
    best = -100 * best_of(-scores, field.of_role(scores.columns, "ceiling")).mean()
    if pd.notna(best):
        ax.axvline(best, color=INK, linestyle="--", linewidth=0.9, zorder=1)
