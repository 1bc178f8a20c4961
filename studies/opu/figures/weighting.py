"""What the weighting of the stream does: test accuracy by the share of positives whose labels are hidden."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from pulab.figures.lines import draw_mark
from pulab.figures.panels import make_page, method_handles, missing_note, panel_sets, published_handle, share_percent_axis
from pulab.figures.printed import draw_printed, printed_numbers
from pulab.figures.series import spread_within
from pulab.figures.style import styles
from pulab.tables.inputs import Spec
from pulab.trials.artifacts import Artifact, Dataset, Method, Published, Setting

#: Between the methods of one setting, in units of the axis.
DODGE = 0.15


class Keys(Artifact):
    metric: str
    settings: dict[str, Setting]
    lines: dict[str, Method]
    show_datasets: list[Dataset]
    published: dict[str, Published]


def draw(spec: Spec, tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
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
        own = rows[rows["dataset"] == dataset]
        shown = [method for method in methods if (own["method"] == method).any()]
        for x, (share, setting) in enumerate(spec["settings"].items()):
            for j, method in enumerate(shown):
                place, style = x + DODGE * (j - (len(shown) - 1) / 2), style_of[method]
                values = 100 * own.loc[(own["setting"] == setting) & (own["method"] == method), "value"]
                draw_mark(ax, place, values, style, spread_within(0, 100))
                if number := printed[share].get((dataset, method)):
                    draw_printed(ax, place + 0.07, number, style.color, low=0, high=100, ms=3.5)
        ax.set_xticks(range(len(spec["settings"])), list(spec["settings"]))
        ax.set(xlabel="positives without a label", ylabel="test accuracy in %" if k % 3 == 0 else "")
        ax.grid(axis="x", visible=False)
    handles = method_handles(style_of, methods)
    for handle in handles:
        handle.set_linestyle("none")
    share_percent_axis(page.axes)
    page.add_legend(handles + [published_handle()] * any(printed.values()))
    return page.fig


def _finding(spec: Spec, rows: pd.DataFrame, sets: Mapping[str, str]) -> str:
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
