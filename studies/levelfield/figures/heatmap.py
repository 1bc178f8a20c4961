"""Tasks by learners: how far each learner is behind the best one of each task."""

from __future__ import annotations

import numpy as np
import seaborn as sns
from matplotlib.figure import Figure

from pulab.figures.labels import quoted
from pulab.figures.panels import make_page
from pulab.tables import Results
from pulab.tables.sentences import sentence_case
from studies.levelfield.field import METRICS, Field

#: Points beyond which colors do not change.
MOST = 20.0
#: Points behind the best that count as level with it.
LEVEL = 1.0


def draw_heatmap(results: Results, setting: str, metric: str) -> Figure:
    """A row per task, a column per learner."""
    field = Field.of(results, [setting], [metric])
    ranking = field.ranking(setting, metric)
    if not ranking.there:
        return make_page([]).fig
    behind = 100 * ranking.scores.rsub(ranking.scores.max(axis=1), axis=0)[ranking.order]
    # the hardest tasks at the bottom
    behind = behind.loc[ranking.scores.max(axis=1).sort_values(ascending=False, kind="stable").index]
    first = ranking.order[0]
    near = int((behind[first] <= LEVEL).sum())
    name = sentence_case(quoted(field.label(first)))
    title = f"{name} is within {LEVEL:g} point of the best on {near} of {len(behind)} tasks"
    note = (
        f"{METRICS[metric][:1].upper()}{METRICS[metric][1:]}: points behind the best learner of the task, means over "
        f"{field.repeats} repeats. Dots: the best. Learners by mean rank, tasks by their best score."
    )
    page = make_page([""], heading=title, note=note, row_height=1.9 + 0.16 * len(behind))
    ax = page.axes[0]
    sns.heatmap(
        behind, ax=ax, vmin=0, vmax=MOST, cmap="viridis_r", rasterized=True,
        cbar_kws={"label": "points behind the best", "shrink": 0.7, "extend": "max"},
    )  # fmt: skip
    rows, columns = np.nonzero(behind.to_numpy() == 0)
    ax.plot(columns + 0.5, rows + 0.5, linestyle="none", marker="o", markersize=2.5, color="black", rasterized=True)
    ax.set(xlabel="", ylabel="")
    ax.grid(False)
    names = [field.label(m) for m in behind.columns]
    ax.set_xticks(np.arange(len(names)) + 0.5, names, rotation=55, ha="right", rotation_mode="anchor", fontsize=6.5)
    ax.set_yticks(np.arange(len(behind)) + 0.5, [field.task(task) for task in behind.index], rotation=0, fontsize=6.5)
    return page.fig
