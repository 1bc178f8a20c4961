"""Rank correlations of a task's properties with how far ahead each learner is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from pulab.figures.panels import make_page
from pulab.tables.kinds.levelfield_properties import FACTS, correlations, independence, properties
from pulab.tables.levelfield import METRICS, Field


def draw(spec: Mapping[str, Any], tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration and tidy results."""
    setting = spec["setting"]
    field = Field.of(spec, tidy, [setting], [*spec["metrics"], *FACTS])
    rankings = {metric: field.ranking(setting, metric) for metric in spec["metrics"]}
    found = {metric: correlations(r.scores, properties(field, setting, metric)) for metric, r in rankings.items()}
    found = {metric: table for metric, table in found.items() if len(table)}
    n = max((len(rankings[metric].order) for metric in found), default=4)
    note = independence(rankings[next(iter(found))].scores) + " * significant after Holm's correction." if found else ""
    page = make_page(
        [METRICS[metric] for metric in found], note=note, shape=(max(len(found), 1), 1), row_height=1.1 + 0.17 * n, title_size=9
    )
    for ax, (metric, table) in zip(page.axes, found.items(), strict=True):
        wide = table.pivot(index="method", columns="property", values="rho")
        wide = wide.loc[rankings[metric].order, list(dict.fromkeys(table["property"]))]
        stars = table.pivot(index="method", columns="property", values="p_holm").loc[wide.index, wide.columns] < 0.05
        marks = wide.map("{:.2f}".format).where(wide.notna(), "") + stars.map({True: "*", False: ""}.get)
        sns.heatmap(
            wide, ax=ax, vmin=-1, vmax=1, cmap="RdBu_r", annot=marks, fmt="", annot_kws={"fontsize": 6}, linewidths=0.4,
            cbar_kws={"label": "Spearman's correlation", "shrink": 0.6},
        )  # fmt: skip
        ax.set(xlabel="", ylabel="")
        ax.set_yticklabels([field.labels.get(m, m) for m in wide.index], rotation=0, fontsize=6.5)
        ax.set_xticklabels(wide.columns, rotation=35, ha="right", fontsize=7)
    return page.fig
