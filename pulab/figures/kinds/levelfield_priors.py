"""What an estimated π is off by, and what that costs in accuracy, by estimator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from pulab.figures.levelfield import draw_intervals, family_looks
from pulab.figures.panels import make_page, method_handles
from pulab.figures.style import BLUE, Look
from pulab.tables.kinds.levelfield_priors import prior_errors
from pulab.tables.levelfield import METRICS, Field, difference, over_tasks


def draw(spec: Mapping[str, Any], tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration and tidy results."""
    reference = spec["reference"]
    field = Field.of(spec, tidy, [reference, *spec["estimators"]], spec["metrics"])
    errors = prior_errors(tidy, spec["estimators"])
    shown = [setting for setting in spec["estimators"] if setting in errors]
    names = [spec["estimators"][setting] for setting in shown]
    titles = ["error of π, without sign", *(f"cost in {METRICS[metric]}" for metric in spec["metrics"])] if shown else []
    note = "Means over tasks, with 95% bootstrap intervals; cost: points lost against the same learner told the true π."
    page = make_page(titles, note=note if shown else "", shape=(1, max(len(titles), 1)), row_height=0.7 + 0.42 * len(names))
    if not shown:
        return page.fig
    off = over_tasks(pd.DataFrame({setting: errors[setting].abs() for setting in shown}))
    draw_intervals(page.axes[0], off, [Look(BLUE, "o")] * len(shown), names=names)
    page.axes[0].set_xlabel("points")
    learners = field.ranked(m for m in field.table.columns if any(m in field.scores(s, spec["metrics"][0]) for s in shown))
    look_of = family_looks(spec, learners)
    for ax, metric in zip(page.axes[1:], spec["metrics"], strict=True):
        for k, method in enumerate(learners):
            costs = {s: difference(field.scores(reference, metric), field.scores(s, metric)).get(method) for s in shown}
            known = {s: values for s, values in costs.items() if values is not None}
            found = over_tasks(pd.DataFrame(known)).reindex(shown)
            shift = 0.6 * (k - (len(learners) - 1) / 2) / max(len(learners), 1)
            draw_intervals(ax, found, [look_of[method]] * len(shown), names=[""] * len(names), shift=shift)
        ax.set_xlabel("points lost")
    page.add_legend(method_handles(look_of, field.labels), fontsize=7)
    return page.fig
