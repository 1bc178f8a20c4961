"""Test accuracy by round or epoch: a panel per data set, a line per method, the paper's accuracies to the right."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from pulab.figures.labels import End, label_ends, quoted
from pulab.figures.lines import curves_frame, draw_lines
from pulab.figures.panels import make_page, missing_note, panel_sets, share_percent_axis
from pulab.figures.printed import draw_printed, printed_numbers
from pulab.figures.series import spread_within
from pulab.figures.style import styles
from pulab.tables.inputs import Spec
from pulab.tables.sentences import listing
from pulab.trials.artifacts import OPTIONAL, Artifact, Dataset, Method, Published

HEIGHT = 2.3


class Keys(Artifact):
    xlabel: str
    show_methods: list[Method]
    show_datasets: list[Dataset]
    titles: dict[Dataset, str] = OPTIONAL
    published: Published = OPTIONAL
    note: str = OPTIONAL


def draw(spec: Spec, tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration, tidy results, and printed numbers."""
    tidy = tidy[tidy["setting"] == "published"]
    style_of = styles(spec["show_methods"], spec)
    printed = printed_numbers(published, spec.get("published"))
    curves = tidy[(tidy["status"] == "ok") & tidy["method"].isin(style_of) & (tidy["metric"] == "accuracy_by_round")]
    sets = panel_sets(spec, curves["dataset"])
    frames = {
        name: curves_frame(curves[curves["dataset"] == name], {m: m for m in style_of}, "accuracy_by_round", scale=100)
        for name in sets
    }
    note = f"Means of {curves['repeat'].nunique()} repeats, one standard deviation as a band."
    if printed:
        note += " Diamonds: published accuracies with one standard deviation. " + spec.get("note", "")
    note = f"{note} {missing_note(spec, tidy, style_of)}"
    page = make_page(
        list(sets.values()), note=note, heading=_finding(frames, spec), row_height=HEIGHT, title_size=9, sharey=True
    )
    labels: list[list[End]] = []
    for ax, (name, frame) in zip(page.axes, frames.items(), strict=True):
        ax.set(xlabel=spec["xlabel"], ylabel="test accuracy in %")
        labels.append(draw_lines(ax, frame, style_of, spread_within(0, 100), marker_steps=20))
        last = frame["step"].max()
        for k, (method, style) in enumerate(style_of.items()):
            if (name, method) in printed:
                number, x = printed[name, method], last * (1.05 + 0.05 * k)
                draw_printed(ax, x, number, style.color, low=0, high=100)
                if not (frame["line"] == method).any():
                    labels[-1].append(End(x, number.mean, f"{spec['methods'][method]} (published)", style.color))
        ax.set_xticks(range(0, int(last) + 1, 25))
    share_percent_axis(page.axes)
    for ax, ends in zip(page.axes, labels, strict=True):
        label_ends(ax, ends, spec["methods"], height=HEIGHT - 0.6)
    return page.fig


def _finding(frames: Mapping[str, pd.DataFrame], spec: Spec) -> str:
    """On how many sets the first method ends with a higher accuracy than all others."""
    first = spec["show_methods"][0]
    ends = [frame.groupby(["line", "step"])["value"].mean().groupby("line").last() for frame in frames.values()]
    ends = [end for end in ends if first in end and len(end) > 1]
    if not ends:
        return ""
    others = [quoted(spec["methods"][m]) for m in spec["show_methods"][1:] if any(m in end for end in ends)]
    ahead = sum(end[first] > end.drop(first).max() for end in ends)
    return f"{spec['methods'][first]} ends with a higher accuracy than {listing(others)} on {ahead} of {len(ends)} sets"
