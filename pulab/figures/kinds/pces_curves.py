"""Figure 3: the AUC of SGBDota by p at λ = 1, and beside it every method's AUC, ours and the paper's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pulab.figures.lines import curves_frame, draw_lines
from pulab.figures.panels import make_page, method_handles, missing_note, panel_sets, published_handle
from pulab.figures.printed import Printed, draw_printed, printed_numbers
from pulab.figures.series import spread_within
from pulab.figures.style import Style, styles


def draw(spec: Mapping[str, Any], tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration, tidy results, and printed numbers."""
    tidy = tidy[tidy["setting"] == spec["show_setting"]]
    methods = {method: label for label, method in {**spec["by_p"], **spec["levels"]}.items()}
    style_of = styles(methods, spec)
    sets = panel_sets(spec, tidy.loc[tidy["status"] == "ok", "dataset"])
    printed = {
        key: standard_error_of(number, spec["published"]["n"])
        for key, number in printed_numbers(published, spec["published"]).items()
    }
    titles = [title for name in sets.values() for title in (f"{name}: by p", f"{name}: all methods")]
    page = make_page(
        titles,
        note=missing_note(spec, tidy, methods),
        shape=(max(1, len(sets)), 2),
        row_height=1.75,
        extra=0.6,
        title_size=8.5,
        sharey="row",
        width_ratios=[1, 1.1],
    )
    for number, name in enumerate(sets):
        of_dataset = tidy[tidy["dataset"] == name]
        by_p, beside = page.axes[2 * number : 2 * number + 2]
        frame = curves_frame(of_dataset, {method: method for method in spec["by_p"].values()}, spec["series"])
        grid = list(frame["step"].drop_duplicates().sort_values())
        # evenly spaced, as the paper's axis is: most of the grid lies near 1
        frame = frame.assign(step=frame["step"].map(grid.index))
        draw_lines(by_p, frame, style_of, low=0, high=1, standard_error=True)
        by_p.set_xticks(range(len(grid)), [f"{step / 100:g}" for step in grid])
        by_p.set(xlabel="p" if number == len(sets) - 1 else "", ylabel="AUC")
        draw_beside(beside, of_dataset, style_of, {method: printed.get((name, method)) for method in methods})
        beside.set_xticks(range(len(methods)), list(methods.values()) if number == len(sets) - 1 else [""] * len(methods))
        beside.tick_params(axis="x", rotation=40, length=0)
        for label in beside.get_xticklabels():
            label.set(ha="right", rotation_mode="anchor", fontsize=7)
    shown = {method: style_of[method] for method in spec["by_p"].values()}
    page.add_legend(method_handles(shown, methods) + [published_handle("published: mean, standard error")] * bool(printed))
    return page.fig


def standard_error_of(number: Printed, n: int) -> Printed:
    """A printed mean with its standard error for its standard deviation."""
    half = (number.high - number.mean) / n**0.5
    return Printed(number.mean, number.mean - half, number.mean + half)


def draw_beside(
    ax: Axes, of_dataset: pd.DataFrame, style_of: Mapping[str, Style], printed: Mapping[str, Printed | None]
) -> None:
    """Mean and standard error of the AUC over the splits, a place per method, the paper's beside ours."""
    rows = of_dataset[(of_dataset["metric"] == "auc") & (of_dataset["step"] == -1) & of_dataset["method"].isin(style_of)]
    sns.pointplot(
        rows,
        x="method",
        y="value",
        order=list(style_of),
        hue="method",
        hue_order=list(style_of),
        palette=[style.color for style in style_of.values()],
        markers=[style.marker for style in style_of.values()],
        errorbar=spread_within(0, 1, standard_error=True),
        err_kws={"linewidth": 1.0},
        linestyle="none",
        markersize=4.5,
        markeredgewidth=0,
        legend=False,
        ax=ax,
    )
    for place, (method, number) in enumerate(printed.items()):
        if number is not None:
            draw_printed(ax, place + 0.28, number, style_of[method].color, low=0, high=1, ms=4.5)
    ax.set(xlabel="", ylabel="", xlim=(-0.5, len(style_of) - 0.3))
    ax.grid(axis="x", visible=False)
