"""PR and ROC curves of one repeat, all methods, with the areas of all repeats and the paper's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pulab.figures.panels import make_page, method_handles
from pulab.figures.printed import printed_numbers
from pulab.figures.series import series_of
from pulab.figures.style import Style, styles


def draw(spec: Mapping[str, Any], tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration, tidy results, and printed numbers."""
    dataset = spec["stand_ins"].get(spec["dataset"], spec["dataset"])
    tidy = tidy[(tidy["dataset"] == dataset) & (tidy["setting"] == spec["setting"])]
    style_of = styles(spec["compare"], spec)
    printed = printed_numbers(published, spec["published"])
    page = make_page(
        ["precision and recall", "true and false positives"],
        heading=f"{spec['datasets'][dataset]}, {spec['label']}, one repeat",
        row_height=2.9,
        extra=0.9,
    )
    draw_curves(page.axes[0], tidy, style_of, "precision")
    page.axes[0].set(xlabel="recall in %", ylabel="precision in %")
    draw_curves(page.axes[1], tidy, style_of, "true_positive_rate")
    page.axes[1].plot([0, 100], [0, 100], color="#777777", linewidth=0.8, linestyle="--", zorder=1)
    page.axes[1].set(xlabel="false positive rate in %", ylabel="true positive rate in %")
    labels = {}
    for method in style_of:
        areas = 100 * tidy.loc[(tidy["method"] == method) & (tidy["metric"] == "pr_auc"), "value"]
        number = printed.get((dataset, method))
        paper = f"; published {number.low:.1f} to {number.high:.1f}" if number else ""
        labels[method] = f"{spec['methods'][method]}: {areas.mean():.1f}, mean of {len(areas)} repeats{paper}"
    page.add_legend(method_handles(style_of, labels), title="area under the PR curve in %", alignment="left")
    return page.fig


def draw_curves(ax: Axes, tidy: pd.DataFrame, style_of: Mapping[str, Style], metric: str) -> None:
    """Curves of the first repeat, in percent, at evenly spaced recalls or false positive rates."""
    for number, (method, style) in enumerate(style_of.items()):
        values = series_of(tidy[tidy["method"] == method], f"curve_{metric}")
        n = max(1, len(values))
        places = np.linspace(0, 100, len(values))
        ax.plot(places, 100 * values, color=style.color, marker=style.marker, markevery=(number * n // 24, max(1, n // 8)))
    ax.set(xlim=(0, 100), ylim=(0, 101))
