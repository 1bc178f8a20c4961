"""Figure 1: test accuracy by λ, and by the given class prior, a line per data set."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from pulab.figures.labels import label_ends
from pulab.figures.lines import draw_lines
from pulab.figures.panels import make_page, missing_note, share_percent_axis, title_of
from pulab.figures.printed import draw_printed, printed_numbers
from pulab.figures.series import aligned, spread_within
from pulab.figures.style import METHOD_MARKERS, Style
from pulab.tables.inputs import Spec
from pulab.trials.artifacts import OPTIONAL, Artifact, Dataset, Method, Published
from pulib.plots import PALETTE

#: Series, what it is in units of its steps, label of the axis.
PANELS = {
    "accuracy_by_alpha": (1e6, r"$\lambda$"),
    "accuracy_by_prior_percent": (100, "given π, as a multiple of the true one"),
}
HEIGHT = 2.7


class Keys(Artifact):
    show_method: Method
    show_datasets: list[Dataset]
    prior: str
    published: Published = OPTIONAL


def draw(spec: Spec, tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration, tidy results, and printed numbers."""
    method = spec["show_method"]
    tidy = tidy[(tidy["setting"] == "sensitivity") & (tidy["method"] == method)]
    printed = printed_numbers(published, spec.get("published"))
    wanted = list(dict.fromkeys(spec["stand_ins"].get(name, name) for name in spec["show_datasets"]))
    sets = [name for name in wanted if (tidy.loc[tidy["status"] == "ok", "dataset"] == name).any()]
    # data sets, not methods: they take the palette in their order
    style_of = {name: Style(color, marker) for name, color, marker in zip(sets, PALETTE, METHOD_MARKERS, strict=False)}
    names = {name: title_of(spec, name) for name in sets}
    frames = {s: percent_by_step(tidy, sets, f"{s}_{spec['prior']}", unit) for s, (unit, _) in PANELS.items()} if sets else {}
    note = "Means over repeats, one standard deviation as a band. Diamonds: published, at the tuned λ, with theirs."
    page = make_page(
        ["by λ, at the true π", "by the given π, at the tuned λ"] if sets else [],
        note=f"{note} {missing_note(spec, tidy, [method])}", heading=_finding(spec, list(frames.values()), names),
        row_height=HEIGHT, title_size=9, sharey=True,
    )  # fmt: skip
    for ax, (series, frame) in zip(page.axes, frames.items(), strict=True):
        unit, label = PANELS[series]
        ends = draw_lines(ax, frame, style_of, spread_within(0, 100))
        ax.set(xlabel=label, ylabel="test accuracy in %")
        if unit > 100:
            ax.set_xscale("log")
            continue
        ax.set_xticks(sorted(frame["step"].unique()))
        for name in sets:
            if (name, method) in printed:
                draw_printed(ax, 1.0, printed[name, method], style_of[name].color, low=0, high=100)
    share_percent_axis(page.axes)
    if page.axes:
        label_ends(page.axes[-1], ends, names, height=HEIGHT - 0.7)
    return page.fig


def _finding(spec: Spec, frames: list[pd.DataFrame], names: Mapping[str, str]) -> str:
    """How far the mean accuracy of a set moves with λ, and with the given prior."""
    if not frames:
        return ""
    means = [frame.groupby(["line", "step"])["value"].mean().groupby("line") for frame in frames]
    by_weight, by_prior = (float((of_line.max() - of_line.min()).max()) for of_line in means)
    on = next(iter(names.values())) if len(names) == 1 else f"{len(names)} sets"
    name = spec["methods"][spec["show_method"]].partition(",")[0]
    varies = f"varies by up to {by_weight:.0f} points with λ and by up to {by_prior:.0f} with the given π"
    return f"On {on}, the accuracy of {name} {varies}"


def percent_by_step(tidy: pd.DataFrame, sets: list[str], metric: str, unit: float) -> pd.DataFrame:
    """A series of several data sets, in percent: ``line`` (data set), ``step`` in its own unit, ``value``."""
    frames = [aligned(tidy[tidy["dataset"] == name], metric).assign(line=name) for name in sets]
    frame = pd.concat(frames, ignore_index=True)
    return frame.assign(step=frame["step"] / unit, value=100 * frame["value"])
