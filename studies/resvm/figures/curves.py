"""PR and ROC curves of all methods, as means over repeats, with our areas and the published ones."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pulab.figures.lines import curves_frame, draw_lines
from pulab.figures.panels import make_page, method_handles
from pulab.figures.printed import printed_numbers
from pulab.figures.series import spread_within
from pulab.figures.style import Style, styles
from pulab.tables import Paper, Results
from studies.resvm.places import METHODS, NAMES


def draw_curves(results: Results, paper: Paper) -> Figure:
    """Draw both kinds of curves in the semi-supervised setting, in a panel each."""
    tidy, dataset = results.tidy, results.stand_ins.get("mnist_digit_7", "mnist_digit_7")
    tidy = tidy[(tidy["dataset"] == dataset) & (tidy["setting"] == "semi")]
    style_of = styles(METHODS, results)
    printed = printed_numbers(paper, "2.4", {"mnist_digit_7": "mnist 7"}, dict(zip(METHODS, NAMES, strict=True)))
    found = tidy[tidy["method"].isin(style_of) & (tidy["metric"] == "pr_auc")]
    areas = 100 * found.groupby("method", observed=True)["value"].mean()
    page = make_page(
        ["precision and recall", "true and false positives"] if len(found) else [],
        heading=_finding(results, areas, f"{results.title(dataset)}, semi-supervised"),
        note=f"Curves and areas: means over {found['repeat'].nunique()} repeats, curves with one standard deviation as a band. "
        "Dashed: chance.",
        row_height=2.9, extra=0.9, title_size=9,
    )  # fmt: skip
    if not page.axes:
        return page.fig
    draw_kind(page.axes[0], tidy, style_of, "precision")
    page.axes[0].set(xlabel="recall in %", ylabel="precision in %")
    draw_kind(page.axes[1], tidy, style_of, "true_positive_rate")
    positives = 100 * _share_of_positives(tidy)
    if positives:
        page.axes[0].axhline(positives, color="#777777", linewidth=0.8, linestyle="--", zorder=1)
    page.axes[1].plot([0, 100], [0, 100], color="#777777", linewidth=0.8, linestyle="--", zorder=1)
    page.axes[1].set(xlabel="false positive rate in %", ylabel="true positive rate in %")
    labels = {}
    for method in style_of:
        number = printed.get((dataset, method))
        theirs = f" (published {number.low:.1f} to {number.high:.1f})" if number else ""
        labels[method] = f"{results.labels[method]}: {areas.get(method, np.nan):.1f}{theirs}"
    page.add_legend(method_handles(style_of, labels), title="area under the PR curve in %", alignment="left")
    return page.fig


def _finding(results: Results, areas: pd.Series, where: str) -> str:
    if areas.empty:
        return ""
    best, last = areas.idxmax(), areas.idxmin()
    name = results.labels
    return f"{where}: {name[best]} has an area of {areas[best]:.0f}% under the PR curve, {name[last]} {areas[last]:.0f}%"


def _share_of_positives(tidy: pd.DataFrame) -> float:
    """Return the share of positives among the test rows, as a mean over repeats: the precision of chance."""
    positive, negative = (tidy.loc[tidy["metric"] == f"n_test_{which}", "value"].mean() for which in ("positive", "negative"))
    return float(positive / (positive + negative)) if positive > 0 else 0.0


def draw_kind(ax: Axes, tidy: pd.DataFrame, style_of: Mapping[str, Style], metric: str) -> None:
    """Draw mean curves in percent, at evenly spaced recalls or false positive rates, with one standard deviation as a band."""
    frame = curves_frame(tidy, {method: method for method in style_of}, f"curve_{metric}", scale=100)
    last = max(1, frame["step"].max()) if len(frame) else 1
    draw_lines(ax, frame.assign(step=100 * frame["step"] / last), style_of, spread_within(0, 100), marker_steps=25)
    ax.set(xlim=(0, 100), ylim=(0, 101))
