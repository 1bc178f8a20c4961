"""Test accuracy by the number of rows that a stream has shown: a column per data set, a row per form of the algorithm."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from pulab.figures.labels import label_ends
from pulab.figures.lines import curves_frame, draw_lines
from pulab.figures.panels import make_page, missing_note, panel_sets, share_percent_axis
from pulab.figures.printed import draw_printed, printed_numbers
from pulab.figures.series import spread_within
from pulab.figures.style import styles
from pulab.tables.inputs import Spec
from pulab.trials.artifacts import OPTIONAL, Artifact, Dataset, Method, Published

#: Points of a curve per factor of ten in rows.
PER_DECADE = 3
HEIGHT = 2.0


class Keys(Artifact):
    rows: dict[str, dict[str, Method]]
    show_datasets: list[Dataset]
    prior: str
    published: Published = OPTIONAL


def draw(spec: Spec, tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration, tidy results, and printed numbers."""
    names = {method: label for row in spec["rows"].values() for label, method in row.items()}
    style_of = styles(names, spec)
    metric = f"accuracy_by_rows_seen_{spec['prior']}"
    tidy = tidy[tidy["setting"] == "stream"]
    curves = tidy[(tidy["metric"] == metric) & tidy["method"].isin(names)]
    sets = panel_sets(spec, curves["dataset"])
    printed = printed_numbers(published, spec.get("published"))
    forms = {label: row for label, row in spec["rows"].items() if curves["method"].isin(row.values()).any()}
    panels = [(label, list(row.values()), name) for label, row in forms.items() for name in sets]
    frames = [
        thinned(curves_frame(curves[curves["dataset"] == name], {method: method for method in row}, metric, scale=100))
        for _, row, name in panels
    ]
    page = make_page(
        [sets[name] if k < len(sets) else "" for k, (_, _, name) in enumerate(panels)],
        note="Means over repeats, one standard error as a band. Diamonds: published, with one standard deviation. "
        + missing_note(spec, tidy, names),
        heading=_finding(forms, frames), shape=(max(1, len(forms)), max(1, len(sets))),
        row_height=HEIGHT, extra=0.5, title_size=8.5, sharey=True, sharex="col",
    )  # fmt: skip
    error, ends = spread_within(0, 100, standard_error=True), []
    for k, (ax, (label, row, name), frame) in enumerate(zip(page.axes, panels, frames, strict=True)):
        ends.append(draw_lines(ax, frame, {method: style_of[method] for method in row}, error))
        ax.set_xscale("log")
        ax.xaxis.set_minor_locator(NullLocator())  # some panels are too narrow for them
        for method in row:
            if (name, method) in printed:
                draw_printed(ax, frame["step"].max() * 1.9, printed[name, method], style_of[method].color, low=0, high=100)
        ax.set(xlabel="rows seen" if k >= len(panels) - len(sets) else "", ylabel="")
        ax.tick_params(labelleft=k % len(sets) == 0)
        if k % len(sets) == 0:
            ax.set_ylabel(f"{label}\ntest accuracy in %", fontsize=8)
    share_percent_axis(page.axes)
    for k in range(len(sets) - 1, len(panels), len(sets)) if sets else ():
        label_ends(page.axes[k], ends[k], names, height=HEIGHT - 0.5)
    return page.fig


def _finding(forms: Mapping[str, Mapping[str, str]], frames: list[pd.DataFrame]) -> str:
    """How often the first form of the weighting ends behind the last one."""
    if not frames:
        return ""
    rows = [list(row.values()) for row in forms.values() for _ in range(len(frames) // len(forms))]
    ends = [frame.groupby(["line", "step"])["value"].mean().groupby("line").last() for frame in frames]
    both = [(end[row[0]], end[row[-1]]) for row, end in zip(rows, ends, strict=True) if {row[0], row[-1]} <= set(end.index)]
    first, last = next([*row][:1] + [*row][-1:] for row in forms.values())
    behind = sum(one < other for one, other in both)
    return f"After one pass, {first} is behind the {last} weighting in {behind} of {len(both)} panels"


def thinned(frame: pd.DataFrame) -> pd.DataFrame:
    """Curves whose steps are cut into a few parts per factor of ten; a repeat's values in a part count as their mean.

    Single steps of a stream jump from one class to the other; what they tell together is where the curve is.
    """
    part = np.floor(PER_DECADE * np.log10(frame["step"].clip(lower=1)) + 1e-9)
    groups = frame.assign(part=part).groupby(["line", "repeat", "part"], as_index=False)["value"].mean()
    return groups.assign(step=10 ** ((groups["part"] + 0.5) / PER_DECADE))
