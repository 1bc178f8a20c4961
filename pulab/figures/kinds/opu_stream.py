"""Test accuracy by the number of rows that a stream has shown: a column per data set, a row per form of the algorithm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from pulab.figures.lines import curves_frame, draw_lines
from pulab.figures.panels import make_page, method_handles, missing_note, panel_sets, published_handle, share_percent_axis
from pulab.figures.printed import draw_printed, printed_numbers
from pulab.figures.style import styles

#: Points of a curve per factor of ten in rows.
PER_DECADE = 3


def draw(spec: Mapping[str, Any], tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration, tidy results, and printed numbers."""
    methods = [method for row in spec["rows"].values() for method in row]
    style_of = styles(methods, spec)
    metric = f"accuracy_by_rows_seen_{spec['prior']}"
    tidy = tidy[tidy["setting"] == "stream"]
    curves = tidy[(tidy["metric"] == metric) & tidy["method"].isin(methods)]
    sets = panel_sets(spec, curves["dataset"])
    printed = printed_numbers(published, spec.get("published"))
    forms = {label: row for label, row in spec["rows"].items() if curves["method"].isin(row).any()}
    panels = [(label, row, name) for label, row in forms.items() for name in sets]
    titles = [sets[name] if k < len(sets) else "" for k, (_, _, name) in enumerate(panels)]
    shape = (max(1, len(forms)), max(1, len(sets)))
    note = missing_note(spec, tidy, methods)
    page = make_page(titles, note=note, shape=shape, row_height=2.0, extra=0.6, title_size=8.5, sharey=True, sharex="col")
    for k, (ax, (label, row, name)) in enumerate(zip(page.axes, panels, strict=True)):
        of_dataset = curves[curves["dataset"] == name]
        frame = thinned(curves_frame(of_dataset, {method: method for method in row}, metric, scale=100))
        draw_lines(ax, frame, {method: style_of[method] for method in row}, low=0, high=100, standard_error=True)
        ax.set_xscale("log")
        ax.xaxis.set_minor_locator(NullLocator())  # some panels are too narrow for them
        for method in row:
            if (name, method) in printed:
                draw_printed(ax, frame["step"].max() * 1.9, printed[name, method], style_of[method].color, low=0, high=100)
        ax.set(xlabel="rows seen" if k >= len(panels) - len(sets) else "", ylabel="")
        if k % len(sets) == 0:
            ax.set_ylabel(f"{label}\ntest accuracy in %", fontsize=8)
    share_percent_axis(page.axes)
    page.add_legend(method_handles(style_of, spec["methods"]) + [published_handle()] * bool(printed))
    return page.fig


def thinned(frame: pd.DataFrame) -> pd.DataFrame:
    """Curves whose steps are cut into a few parts per factor of ten; a repeat's values in a part count as their mean.

    Single steps of a stream jump from one class to the other; what they tell together is where the curve is.
    """
    part = np.floor(PER_DECADE * np.log10(frame["step"].clip(lower=1)) + 1e-9)
    groups = frame.assign(part=part).groupby(["line", "repeat", "part"], as_index=False)["value"].mean()
    return groups.assign(step=10 ** ((groups["part"] + 0.5) / PER_DECADE))
