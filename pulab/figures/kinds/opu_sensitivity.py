"""Figure 1: test accuracy by λ, and by the class prior that the method is told, a line per data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from pulab.figures.lines import draw_lines
from pulab.figures.panels import make_page, method_handles, missing_note, published_handle, share_percent_axis, title_of
from pulab.figures.printed import draw_printed, printed_numbers
from pulab.figures.series import aligned
from pulab.figures.style import METHOD_MARKERS, Style
from pulib.plots import PALETTE

#: Series, what it is in units of its steps, label of the axis.
PANELS = {
    "accuracy_by_alpha": (1e6, r"$\lambda$"),
    "accuracy_by_prior_percent": (100, r"$\hat\pi\,/\,\pi$, the given prior over the true one"),
}


def draw(spec: Mapping[str, Any], tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration, tidy results, and printed numbers."""
    method = spec["show_method"]
    tidy = tidy[(tidy["setting"] == "sensitivity") & (tidy["method"] == method)]
    printed = printed_numbers(published, spec.get("published"))
    wanted = list(dict.fromkeys(spec["stand_ins"].get(name, name) for name in spec["show_datasets"]))
    sets = [name for name in wanted if (tidy.loc[tidy["status"] == "ok", "dataset"] == name).any()]
    # data sets, not methods: they take the palette in their order
    style_of = {name: Style(color, marker) for name, color, marker in zip(sets, PALETTE, METHOD_MARKERS, strict=False)}
    titles = ["a  by λ, at the true prior", "b  by the prior, at the tuned λ"] if sets else []
    page = make_page(titles, note=missing_note(spec, tidy, [method]), row_height=2.9, sharey=True)
    for ax, (series, (unit, label)) in zip(page.axes, PANELS.items(), strict=False):
        frame = percent_by_step(tidy, sets, f"{series}_{spec['prior']}", unit)
        draw_lines(ax, dodged(frame, sets, logarithmic=unit > 100), style_of, low=0, high=100, bars=True)
        ax.set(xlabel=label, ylabel="test accuracy in %")
        if unit > 100:
            ax.set_xscale("log")
        else:
            for place, name in zip(dodge(len(sets)), sets, strict=True):
                if (name, method) in printed:
                    draw_printed(ax, 1.0 + place, printed[name, method], style_of[name].color, low=0, high=100)
    share_percent_axis(page.axes)
    handles = method_handles(style_of, {name: title_of(spec, name) for name in sets})
    page.add_legend(handles + [published_handle("published, at the tuned λ: mean, sd")] * bool(printed and sets))
    return page.fig


def percent_by_step(tidy: pd.DataFrame, sets: list[str], metric: str, unit: float) -> pd.DataFrame:
    """A series of several data sets, in percent: ``line`` (data set), ``step`` in its own unit, ``value``."""
    frames = [aligned(tidy[tidy["dataset"] == name], metric).assign(line=name) for name in sets]
    frame = pd.concat(frames, ignore_index=True)
    return frame.assign(step=frame["step"] / unit, value=100 * frame["value"])


def dodge(n: int) -> list[float]:
    """Shifts of several lines' points, so that their intervals do not cover each other."""
    return [0.015 * (k - (n - 1) / 2) for k in range(n)]


def dodged(frame: pd.DataFrame, sets: list[str], *, logarithmic: bool) -> pd.DataFrame:
    """Points moved aside by line; by as much on a logarithmic axis of seven decades as on one from 0.6 to 1.4."""
    shift = frame["line"].map(dict(zip(sets, dodge(len(sets)), strict=True))).astype(float)
    return frame.assign(step=frame["step"] * 10 ** (7 * shift) if logarithmic else frame["step"] + shift)
