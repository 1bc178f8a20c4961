"""Importances of the most important features, one panel per method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from pulab.figures.panels import make_page, say_nothing_to_draw, title_of
from pulab.figures.series import choose_dataset, series_by_repeat
from pulab.figures.style import styles
from pulib.plots import plot_importances


def draw(spec: Mapping[str, Any], tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration and tidy results."""
    dataset, tidy = choose_dataset(tidy, spec["choose"], spec["stand_ins"])
    tidy = tidy[tidy["setting"] == "standard"]
    style_of = styles(spec["panels"].values(), spec)
    page = make_page(list(spec["panels"]), heading=title_of(spec, dataset), row_height=3.5, sharex=True)
    for ax, method in zip(page.axes, spec["panels"].values(), strict=True):
        importances = series_by_repeat(tidy[tidy["method"] == method], "importance")
        if len(importances):
            names = spec.get("feature_names", {}).get(dataset)
            plot_importances(importances, ax, names=names, show=spec["show"], color=style_of[method].color)
            ax.set_xlabel("risk reduction")
        else:
            say_nothing_to_draw(ax)
    return page.fig
