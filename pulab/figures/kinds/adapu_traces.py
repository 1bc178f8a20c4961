"""What each round of boosting finds and leaves behind: a row per quantity, a column per data set, a line per run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pulab.figures.panels import make_page, missing_note, panel_sets
from pulab.figures.series import series_by_repeat
from pulab.figures.style import METHOD_MARKERS, Look
from pulib.plots import PALETTE

#: A marker at every so many rounds.
MARKER_STEPS = 50
#: Rounds that a step of a band covers, so that the file stays small.
BAND_STEPS = 10


class Quantity(NamedTuple):
    """A row of panels: the label of its axis, the factor of its values, and where they can not be left, or should not."""

    label: str
    scale: float = 1.0
    limits: tuple[float, float] | None = None
    bounds: tuple[float, ...] = ()


QUANTITIES = {
    "error": Quantity("ε of the stump", limits=(-0.03, 0.55), bounds=(0.0, 0.5)),
    "alpha": Quantity("α"),
    "negative_share": Quantity("negative weight,\nshare", limits=(-0.03, 0.55), bounds=(0.5,)),
    "risk": Quantity("PU risk,\nrows held out"),
    "accuracy": Quantity("test accuracy\nin %", scale=100),
}


def draw(spec: Mapping[str, Any], tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration and tidy results."""
    tidy = tidy[tidy["setting"] == "traces"]
    sets = panel_sets(spec, tidy.loc[tidy["status"] == "ok", "dataset"])
    shape = (len(QUANTITIES), max(1, len(sets)))
    titles = [title if row == 0 else "" for row in range(len(QUANTITIES)) for title in sets.values()]
    page = make_page(titles, note=missing_note(spec, tidy, [spec["show_method"]]), shape=shape, row_height=1.35, extra=0.5)
    look_of = {name: Look(PALETTE[k], METHOD_MARKERS[k]) for k, name in enumerate(spec["traces"])}
    panels = [(quantity, dataset) for quantity in QUANTITIES for dataset in sets]
    for ax, (quantity, dataset) in zip(page.axes, panels, strict=True):
        own = tidy[tidy["dataset"] == dataset]
        for name, look in look_of.items():
            draw_runs(ax, QUANTITIES[quantity].scale * series_by_repeat(own, f"{quantity}_by_round_{name}"), look)
        dress(ax, QUANTITIES[quantity])
        ax.set_ylabel(QUANTITIES[quantity].label if dataset == next(iter(sets)) else "", fontsize=8)
        last = quantity == list(QUANTITIES)[-1]
        ax.set_xlabel("rounds" if last else "")
        ax.tick_params(labelbottom=last)
    if sets:
        labels = spec["traces"]
        page.add_legend([Line2D([], [], color=c, marker=m, label=labels[name]) for name, (c, m) in look_of.items()])
    return page.fig


def draw_runs(ax: Axes, runs: pd.DataFrame, look: Look) -> None:
    """The first repeat as a line, and the range of all repeats as a band in steps.

    Parameters
    ----------
    runs : DataFrame
        A row per repeat, a column per round.
    """
    if runs.empty:
        return
    spans = runs.T.groupby(runs.columns // BAND_STEPS)
    low, high = spans.min().min(axis=1), spans.max().max(axis=1)
    at = low.index * BAND_STEPS
    ax.fill_between(at, low, high, step="post", color=look.color, alpha=0.2, linewidth=0, zorder=2)
    first = runs.iloc[0].dropna()
    ax.plot(
        first.index,
        first,
        color=look.color,
        marker=look.marker,
        markevery=MARKER_STEPS,
        markersize=4,
        markeredgewidth=0,
        linewidth=1.3,
        zorder=3,
    )


def dress(ax: Axes, quantity: Quantity) -> None:
    """Limits, and the bounds of the theory as dotted lines."""
    for bound in quantity.bounds:
        ax.axhline(bound, color="#444444", linestyle=":", linewidth=0.9, zorder=1)
    if quantity.limits is not None:
        ax.set_ylim(*quantity.limits)
    ax.set_xticks(range(0, 101, 25))
