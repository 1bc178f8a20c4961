"""What the weighting of the stream does: test accuracy by the share of positives whose labels are hidden."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from pulab.figures.panels import make_page, method_handles, missing_note, panel_sets, published_handle, share_percent_axis
from pulab.figures.printed import draw_printed, printed_numbers
from pulab.figures.series import spread_within
from pulab.figures.style import styles

#: Width over which the methods of one setting are spread, in units of the axis.
DODGE = 0.6


def draw(spec: Mapping[str, Any], tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration, tidy results, and printed numbers."""
    methods = {method: label for label, method in spec["lines"].items()}
    style_of = styles(methods, spec)
    tidy = tidy[tidy["setting"].isin(spec["settings"].values())]
    rows = tidy[(tidy["metric"] == spec["metric"]) & tidy["method"].isin(methods)]
    sets = panel_sets(spec, rows["dataset"])
    note = "Means over repeats with one standard deviation. " + missing_note(spec, tidy, methods)
    page = make_page(
        list(sets.values()), note=note, heading=_finding(spec, rows, sets), row_height=2.2, title_size=9, sharey=True
    )
    printed = {share: printed_numbers(published, spec["published"].get(share)) for share in spec["settings"]}
    for k, (ax, dataset) in enumerate(zip(page.axes, sets, strict=True)):
        frame = percent_by_share(rows[rows["dataset"] == dataset], spec["settings"])
        shown = [method for method in methods if (frame["method"] == method).any()]
        width = DODGE if len(shown) > 1 else 0.0
        sns.pointplot(
            frame,
            x="share",
            y="value",
            order=list(spec["settings"]),
            hue="method",
            hue_order=shown,
            palette=[style_of[method].color for method in shown],
            markers=[style_of[method].marker for method in shown],
            dodge=width or False,
            errorbar=spread_within(0, 100),
            capsize=0.06,
            err_kws={"linewidth": 0.8},
            linestyle="none",
            markersize=4.5,
            markeredgewidth=0,
            legend=False,
            ax=ax,
        )
        for x, share in enumerate(spec["settings"]):
            for j, method in enumerate(shown):
                place = x + width * (j / max(1, len(shown) - 1) - 0.5)
                if (dataset, method) in printed[share]:
                    draw_printed(
                        ax, place + 0.07, printed[share][dataset, method], style_of[method].color, low=0, high=100, ms=3.5
                    )
        ax.set(xlabel="positives without a label", ylabel="test accuracy in %" if k % 3 == 0 else "")
        ax.grid(axis="x", visible=False)
    handles = method_handles(style_of, methods)
    for handle in handles:
        handle.set_linestyle("none")
    share_percent_axis(page.axes)
    page.add_legend(handles + [published_handle()] * any(printed.values()))
    return page.fig


def _finding(spec: Mapping[str, Any], rows: pd.DataFrame, sets: Mapping[str, str]) -> str:
    """How often equation 6 is behind the unbiased weighting where most labels are hidden."""
    share, setting = list(spec["settings"].items())[-1]
    means = rows[rows["setting"] == setting].groupby(["dataset", "method"], observed=True)["value"].mean().unstack()
    pairs = [(a, b) for name, a in spec["lines"].items() for other, b in spec["lines"].items()
             if name.endswith(", eq. 6") and other == name.replace("eq. 6", "unbiased")]  # fmt: skip
    behind = [means.loc[name, a] < means.loc[name, b] for a, b in pairs for name in sets if {a, b} <= set(means.columns)]
    if not behind:
        return ""
    times = f"{sum(behind)} of {len(behind)} cases"
    return f"With {share} of the labels hidden, equation 6 is behind the unbiased weighting in {times}"


def percent_by_share(results: pd.DataFrame, settings: Mapping[str, str]) -> pd.DataFrame:
    """Values of one data set and metric in percent, with the setting's label in the column ``share``."""
    labels = {setting: label for label, setting in settings.items()}
    return results.assign(share=results["setting"].map(labels), value=100 * results["value"])[["method", "share", "value"]]
