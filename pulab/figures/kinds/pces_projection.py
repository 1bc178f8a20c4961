"""Figure 1: all rows of each data set on its first two principal components, marked by when they turn positive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pulab.figures.panels import make_page, missing_note, panel_sets
from pulab.figures.series import series_of
from pulab.figures.style import BLACK, BLUE, VERMILION

#: As in the paper's figure 1: code, label, marker and color.
KINDS = (
    (0, "negative at both times", "o", BLACK),
    (2, "positive at test time only", "*", VERMILION),
    (1, "positive at both times", "P", BLUE),
)


def draw(spec: Mapping[str, Any], tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration and tidy results."""
    tidy = tidy[tidy["setting"] == spec["show_setting"]]
    sets = panel_sets(spec, tidy.loc[tidy["metric"] == "code", "dataset"])
    page = make_page(list(sets.values()), note=missing_note(spec, tidy, tidy["method"].unique()), row_height=2.7)
    for ax, name in zip(page.axes, sets, strict=True):
        draw_turning(ax, tidy[tidy["dataset"] == name])
    if page.axes:
        page.add_legend(page.axes[0].get_legend_handles_labels()[0])
    return page.fig


def draw_turning(ax: Axes, results: pd.DataFrame) -> None:
    """Rows on two principal components, marked by when they turn positive."""
    x, y, codes = (series_of(results, name) for name in ("pc1", "pc2", "code"))
    for code, label, marker, color in KINDS:
        at = codes == code
        style = {
            "marker": marker,
            "s": 42 if marker == "*" else 20,
            "color": color,
            "alpha": 0.6,
            "linewidth": 0.2,
            "label": label,
        }
        sns.scatterplot(x=x[at], y=y[at], ax=ax, legend=False, rasterized=True, **style)
    ax.set(xlabel="first component", ylabel="second component")
