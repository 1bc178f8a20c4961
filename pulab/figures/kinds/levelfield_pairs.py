"""Every learner against every other: mean differences in points, marked where Wilcoxon's test is significant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pulab.figures.panels import make_page
from pulab.tables.levelfield import METRICS, Field, Ranking

#: Points beyond which colors do not change.
MOST = 15.0


def draw(spec: Mapping[str, Any], tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration and tidy results."""
    field = Field.of(spec, tidy, spec["settings"], spec["metrics"])
    places = {(s, m): field.ranking(s, m) for s in spec["settings"] for m in spec["metrics"]}
    places = {place: ranking for place, ranking in places.items() if ranking.there}
    n = max((len(ranking.order) for ranking in places.values()), default=6)
    note = (
        "Row minus column, mean over tasks, in points; learners by mean rank. Dots: significant at 5% by Wilcoxon's test after "
        "Holm's correction over all pairs."
    )
    titles = [f"{spec['settings'][setting]}, {METRICS[metric]}" for setting, metric in places]
    page = make_page(
        titles, note=note if places else "", shape=(max(len(places), 1), 1), row_height=1.0 + 0.15 * n, title_size=9
    )
    for ax, ranking in zip(page.axes, places.values(), strict=True):
        draw_pairs(ax, ranking, field)
    return page.fig


def draw_pairs(ax: Axes, ranking: Ranking, field: Field) -> None:
    """One heat map."""
    order = ranking.order
    differences = 100 * ranking.pairs.differences.loc[order, order]
    names = [field.labels.get(m, m) for m in order]
    sns.heatmap(
        differences, ax=ax, vmin=-MOST, vmax=MOST, cmap="RdBu_r", linewidths=0.3, cbar_kws={"label": "points", "shrink": 0.7},
        mask=np.eye(len(order), dtype=bool), rasterized=True,
    )  # fmt: skip
    rows, columns = np.nonzero(ranking.pairs.pvalues.loc[order, order].to_numpy() < ranking.pairs.alpha)
    ax.plot(columns + 0.5, rows + 0.5, linestyle="none", marker="o", markersize=2, color="black", rasterized=True)
    ax.set(xlabel="", ylabel="")
    ax.grid(False)
    ax.set_xticks(np.arange(len(order)) + 0.5, [str(k + 1) for k in range(len(order))], fontsize=6, rotation=0)
    ax.set_yticks(np.arange(len(order)) + 0.5, [f"{name}  {k + 1}" for k, name in enumerate(names)], fontsize=6.5, rotation=0)
