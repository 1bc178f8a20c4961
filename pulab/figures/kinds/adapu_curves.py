"""Test accuracy by round or epoch: a panel per data set, a line per method, the paper's accuracies at the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pulab.figures.lines import curves_frame, draw_lines
from pulab.figures.panels import make_page, method_handles, missing_note, panel_sets, published_handle
from pulab.figures.printed import draw_printed_column, printed_numbers
from pulab.figures.style import Style, styles

#: Percentage points between a line and the next one above it, from which on it would flatten its panel.
FAR_BELOW = 25.0
#: Rounds whose accuracies do not set a panel's limits.
FIRST_ROUNDS = 5


def draw(spec: Mapping[str, Any], tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration, tidy results, and printed numbers."""
    tidy = tidy[tidy["setting"] == "published"]
    style_of = styles(spec["show_methods"], spec)
    printed = printed_numbers(published, spec.get("published"))
    curves = tidy[(tidy["status"] == "ok") & tidy["method"].isin(style_of) & (tidy["metric"] == "accuracy_by_round")]
    sets = panel_sets(spec, curves["dataset"])
    note = " ".join(filter(None, [missing_note(spec, tidy, style_of), spec.get("note") if printed else ""]))
    page = make_page(list(sets.values()), note=note, row_height=2.5)
    for ax, dataset in zip(page.axes, sets, strict=True):
        of_dataset = curves[curves["dataset"] == dataset]
        frame = curves_frame(of_dataset, {method: method for method in style_of}, "accuracy_by_round", scale=100)
        below = far_below(frame.groupby(["line", "step"])["value"].mean())
        draw_lines(ax, frame[~frame["line"].isin(below)], style_of, low=0, high=100, marker_steps=20)
        ax.set(xlabel=spec["xlabel"], ylabel="test accuracy in %")
        numbers = [(printed[dataset, method], style_of[method].color) for method in style_of if (dataset, method) in printed]
        _say_far_below(ax, frame, below, style_of, spec["methods"])
        # the first rounds may start anywhere
        settled = frame[(frame["step"] > FIRST_ROUNDS) & ~frame["line"].isin(below)].groupby(["line", "step"])["value"]
        lowest = (settled.mean() - settled.std(ddof=1).fillna(0)).min()
        _set_limits(ax, lowest, [value for number, _ in numbers for value in number])
        draw_printed_column(ax, numbers, low=0, high=100)
    there = {*curves["method"], *(method for _, method in printed)}
    shown = {method: style for method, style in style_of.items() if method in there}
    page.add_legend(method_handles(shown, spec["methods"]) + [published_handle()] * bool(printed))
    return page.fig


def far_below(means: pd.Series) -> list[str]:
    """Lines that stay so far below all others that they would flatten a panel.

    Parameters
    ----------
    means : Series
        Percent, by (line, step).
    """
    highest, end = means.groupby(level=0).max(), means.groupby(level=0).median()
    out: list[str] = []
    for line in highest.sort_values().index[:-1]:
        if highest[line] > end.drop([*out, line]).min() - FAR_BELOW:
            break
        out.append(line)
    return out


def _say_far_below(
    ax: Axes, frame: pd.DataFrame, lines: list[str], style_of: Mapping[str, Style], labels: Mapping[str, str]
) -> None:
    """At the lower edge, with mean and sd of the last step."""
    for k, line in enumerate(lines):
        of_line = frame[frame["line"] == line]
        last = of_line.loc[of_line["step"] == of_line["step"].max(), "value"]
        spread = f" ({last.std(ddof=1):.1f})" if len(last) > 1 else ""
        text = f"▼ {labels[line]}: {last.mean():.1f}{spread}"
        ax.text(0.03, 0.03 + 0.08 * k, text, color=style_of[line].color, fontsize=7, transform=ax.transAxes)


def _set_limits(ax: Axes, lowest: float, values: list[float]) -> None:
    """So that printed values with their intervals are inside the panel."""
    low, high = np.nanmin([lowest, *values]), min(100.0, np.nanmax([ax.get_ylim()[1], *values]))
    pad = 0.05 * (high - low)
    ax.set_ylim(max(0.0, low - pad), min(101.0, high + pad))
    ticks = np.arange(0, 101, 10 if high - low > 25 else 5)
    ax.set_yticks(ticks[(ticks >= ax.get_ylim()[0]) & (ticks <= ax.get_ylim()[1])])
    ax.set_xticks(np.arange(0, 101, 25))
    ax.set_xlim(0, ax.dataLim.xmax * 1.02)
