"""What being told the wrong scenario costs each method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from pulab.figures.levelfield import draw_intervals, family_looks
from pulab.figures.panels import make_page
from pulab.tables.levelfield import METRICS, Field, difference, over_tasks


def draw(spec: Mapping[str, Any], tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration and tidy results."""
    metrics, switched = spec["metrics"], spec["switched"]
    settings = [*switched, *(entry["reference"] for entry in switched.values())]
    field = Field.of(spec, tidy, settings, metrics)
    costs = {
        (switch, metric): difference(field.scores(entry["reference"], metric), field.scores(switch, metric))
        for switch, entry in switched.items()
        for metric in metrics
    }
    learners = field.ranked(m for m in field.table.columns if any(m in cost for cost in costs.values()))
    titles = [f"{switched[switch]['label']}, {METRICS[metric]}" for switch, metric in costs] if learners else []
    note = (
        "Points lost against being told the right scenario: means over tasks, with 95% bootstrap intervals." if learners else ""
    )
    shape = (len(switched), len(metrics))
    page = make_page(titles, note=note, shape=shape, row_height=0.7 + 0.2 * max(len(learners), 3), title_size=9)
    looks, names = list(family_looks(spec, learners).values()), [field.labels.get(m, m) for m in learners]
    for k, (ax, cost) in enumerate(zip(page.axes, costs.values(), strict=False)):
        draw_intervals(
            ax, over_tasks(cost).reindex(learners), looks, names=names if k % len(metrics) == 0 else [""] * len(names)
        )
        ax.set_xlabel("points lost")
    return page.fig
