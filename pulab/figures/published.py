"""Differences between our performances and published ones, from the scoreboard, by study and by method.

Only performances are drawn (no counts of wins, parameters, or times), each once, in the study's main interpretation.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pulab.figures.panels import draw_empty_panel, make_sheet
from pulab.tables.record import judged_performances, signed
from pulab.tables.verdict import CLOSE, CLOSE_ENOUGH, MEANINGS, VERDICTS

#: Marker and fill of each verdict, as in the report; they also differ in gray.
VERDICT_MARKERS = {
    "reproduced": ("o", "#56B4E9"),
    "cannot tell": ("o", "#FFFFFF"),
    "close": ("D", "#F0E442"),
    "different": ("^", "#D55E00"),
}
#: Differences of more points are drawn at the edge of a forest plot, with their value.
MOST = 15.0
_EDGE = "#222222"
_BAND = f"Shaded: within {CLOSE_ENOUGH:g} and {CLOSE:g} points."


def cited(citation: str) -> str:
    """Return a study's short citation: authors and year.

    >>> cited("Wilton, Koay, Ko, Xu, Ye (2022). Random forests"), cited("Yu and Zhou (2010). A framework")
    ('Wilton et al. 2022', 'Yu and Zhou 2010')
    """
    authors, year, _ = re.split(r" \((\d{4})\)", citation, maxsplit=1)
    first, *others = authors.split(", ")
    return f"{first}{' et al.' if others else ''} {year}"


def published_against_ours(cells: pd.DataFrame, titles: Mapping[str, str]) -> Figure:
    """Draw ours minus published in points: a row per study, and a mark per performance by its verdict.

    Values beyond :data:`MOST` points are at the edge with their number.  Studies without a judged performance have no row.
    """
    cells = judged_performances(cells)
    shown = [study for study in titles if (cells["study"] == study).any()]
    cells = cells[cells["study"].isin(shown)]
    good = cells["verdict"] == "reproduced"
    note = (
        "Each mark is the difference, ours minus published, of one accuracy, F1 or area under a curve; marks less than half a "
        f"point apart are stacked. Row labels give the number that are reproduced. {_defined(cells)}"
    )
    heading = f"{good.sum()} of {len(cells)} published performances are reproduced" if shown else ""
    stacks = [_stacked(cells.loc[cells["study"] == study, "difference"].clip(-MOST, MOST)) for study in shown]
    heights = [stack.max() - stack.min() + 4 for stack in stacks]
    fig, body = make_sheet(0.95 + 0.048 * max(sum(heights), 25), note if shown else "", heading)
    ax = body.add_subplot()
    if not shown:
        draw_empty_panel(ax)
        return fig
    places = np.cumsum(heights) - np.array(heights) / 2
    for study, place, stack in zip(shown, places, stacks, strict=True):
        own = cells[cells["study"] == study]
        _draw_marks(ax, own, place + stack, MOST, s=11)
        _draw_edges(ax, own["difference"], place, MOST)
    _shade(ax)
    counts = [f"{good[cells['study'] == study].sum()} of {(cells['study'] == study).sum()}" for study in shown]
    ax.set_yticks(places, [f"{titles[study]}\n{count}" for study, count in zip(shown, counts, strict=True)])
    ax.set(xlim=(-MOST, MOST), ylim=(sum(heights), 0), xlabel="ours minus published, points")
    ax.grid(axis="y", visible=False)
    for edge in np.cumsum(heights)[:-1]:
        ax.axhline(edge, color="#DDDDDD", linewidth=0.8, zorder=0)
    body.legend(handles=verdict_handles(cells["verdict"]), loc="outside lower center", ncols=5, fontsize=8)
    return fig


def _defined(cells: pd.DataFrame) -> str:
    """Define the verdicts, the band (which is not a verdict), and the numbers at the edge, as far as they are drawn."""
    said = [f"{verdict.capitalize()}: {MEANINGS[verdict]}." for verdict in _occurring(cells["verdict"])]
    edge = " Numbers at the edge: values beyond the axis." if (cells["difference"].abs() > MOST).any() else ""
    return f"d: difference, se: its standard error, both in points. {' '.join(said)} {_BAND}{edge}"


def _occurring(verdicts: pd.Series) -> list[str]:
    return [verdict for verdict in VERDICTS if (verdicts == verdict).any()]


def _stacked(values: pd.Series, width: float = 0.5) -> np.ndarray:
    """Return offsets, in rows of marks, that stack values of one bin above and below zero."""
    order = values.groupby((values / width).round()).cumcount().to_numpy()
    return np.where(order % 2, -1, 1) * ((order + 1) // 2)


def _shade(ax: Axes) -> None:
    for points, color in ((CLOSE, "#F2F2F2"), (CLOSE_ENOUGH, "#DDE9F2")):
        ax.axvspan(-points, points, color=color, linewidth=0, zorder=0)
    ax.axvline(0.0, color="#444444", linewidth=0.8, zorder=1)


def _draw_marks(ax: Axes, cells: pd.DataFrame, places: np.ndarray, limit: float, s: float) -> None:
    """Draw a mark per performance at its difference, by its verdict; values beyond the limit are at the edge."""
    for verdict in reversed(VERDICTS):
        own = (cells["verdict"] == verdict).to_numpy()
        marker, fill = VERDICT_MARKERS[verdict]
        style: dict[str, Any] = {"edgecolors": _EDGE, "linewidths": 0.4, "alpha": 0.85, "clip_on": False, "zorder": 3}
        ax.scatter(cells["difference"].clip(-limit, limit)[own], places[own], s=s, marker=marker, c=fill, **style)


def _draw_edges(ax: Axes, values: pd.Series, place: float, limit: float) -> None:
    """Write the values beyond the limit next to the edge."""
    for beyond, edge in ((values < -limit, -0.98 * limit), (values > limit, 1.02 * limit)):
        text = ", ".join(signed(value, 0) for value in sorted(values[beyond]))
        lines = textwrap.fill(text, 20)
        if text:
            ax.text(edge, place, lines, va="center", fontsize=6.5, color=_EDGE)


def differences(cells: pd.DataFrame, study: str, title: str = "", *, marks: bool = True) -> Figure:
    """Draw a forest plot of ours minus published in points: a row per method, with a mark per performance and their mean.

    Values beyond :data:`MOST` points are at the edge with their number; a mean or a bar that ends there has an arrow.  Without
    ``marks``, only the means are drawn.  ``title`` is the study's; the figure's heading adds the result.
    """
    cells = judged_performances(cells)
    cells = cells[cells["study"] == study]
    names = list(dict.fromkeys(cells["column"]))
    limit = float(np.clip(np.ceil(1.08 * cells["difference"].abs().max()), 4.0, MOST)) if names else MOST
    means = {name: _mean(cells.loc[cells["column"] == name, "difference"], marks) for name in names}
    bars = any(len(mean) > 1 for mean in means.values())
    each = ", a mark per performance," if marks else ""
    note = (
        f"Ours minus published{each} in points of percent or hundredths of an area; in parentheses: number of performances. "
        f"{_means_explained(means.values(), bars, limit)}{_defined(cells) if marks else _BAND}"
    )
    within = int((cells["difference"].abs() <= CLOSE).sum())
    found = f"{within} of {len(cells)} performances within {CLOSE:g} points of the published value"
    heading = ": ".join(filter(None, [title, found])) if names else ""
    fig, body = make_sheet(0.95 + 0.3 * max(len(names), 2), note if names else "", heading)
    ax = body.add_subplot()
    if not names:
        draw_empty_panel(ax)
        return fig
    for place, name in enumerate(names):
        if marks:
            _draw_performances(ax, cells[cells["column"] == name], place, limit)
        _draw_mean(ax, means[name], place - 0.33 * marks, limit)
    _shade(ax)
    ax.set_yticks(range(len(names)), [f"{name} ({(cells['column'] == name).sum()})" for name in names])
    ax.set(xlim=(-limit, limit), ylim=(len(names) - 0.5, -0.5), xlabel="ours minus published, points")
    ax.grid(axis="y", visible=False)
    handles = [*(verdict_handles(cells["verdict"]) if marks else []), *([_mean_handle(bars)] if any(means.values()) else [])]
    body.legend(handles=handles, loc="outside lower center", ncols=5, fontsize=7)
    return fig


def _mean(values: pd.Series, marks: bool) -> list[float]:
    """Return a mean, with the ends of its interval if there are enough values; empty for few values that have marks."""
    from pulib.statistics import mean_ci  # nothing else here needs SciPy, whose tests take half a second to load

    if len(values) < 3:
        return [] if marks else [float(values.mean())]
    found = mean_ci(values.to_numpy())
    return [found.mean, found.low, found.high]


def _means_explained(means: Iterable[Sequence[float]], bars: bool, limit: float) -> str:
    """Explain squares, bars and arrows in a note, as far as they are drawn."""
    drawn = [value for mean in means for value in mean]
    squares = "Squares: mean; bars: its 95% interval (Student's t), of three or more. " if bars else "Squares: mean. "
    arrows = "Arrows: a mean or the end of a bar beyond the axis. "
    return squares * bool(drawn) + arrows * any(abs(value) > limit for value in drawn)


def _draw_performances(ax: Axes, cells: pd.DataFrame, place: int, limit: float) -> None:
    """Spread marks vertically around the row's place, so that equal values stay visible."""
    shift = np.linspace(-0.18, 0.26, len(cells)) if len(cells) > 1 else np.zeros(1)
    _draw_marks(ax, cells, place + shift, limit, s=12)
    _draw_edges(ax, cells["difference"], place + 0.04, limit)


def _draw_mean(ax: Axes, mean: Sequence[float], y: float, limit: float) -> None:
    """Draw a mean and its interval, cut off at the limit."""
    if not mean:
        return
    middle, *ends = mean
    bar: dict[str, Any] = {"linewidth": 1.3, "solid_capstyle": "butt", "zorder": 4}
    ax.plot(np.clip(ends, -limit, limit), [y] * len(ends), color=_EDGE, **bar)
    _draw_cut(ax, [end for end in ends if abs(end) > limit], y, limit)
    if abs(middle) <= limit:
        ax.plot([middle], [y], color=_EDGE, marker="s", markersize=3.5, zorder=4)
    else:
        _draw_cut(ax, [middle], y, limit, "mean ")


def _draw_cut(ax: Axes, values: Sequence[float], y: float, limit: float, what: str = "") -> None:
    """Draw an arrow at the edge for each value beyond it, with the value."""
    for value in values:
        sign = 1.0 if value > 0 else -1.0
        ax.plot([sign * limit], [y], color=_EDGE, marker=">" if sign > 0 else "<", markersize=5, clip_on=False, zorder=5)
        side: dict[str, Any] = {"ha": "right", "va": "bottom"} if sign > 0 else {"ha": "left", "va": "bottom"}
        ax.text(sign * 0.985 * limit, y - 0.06, f"{what}{signed(value, 1)}", fontsize=6, color=_EDGE, **side)


def verdict_handles(verdicts: pd.Series) -> list[Line2D]:
    """Return a legend entry per verdict that occurs."""
    return [
        Line2D([], [], linestyle="none", marker=marker, mfc=fill, mec=_EDGE, mew=0.5, markersize=5, label=verdict)
        for verdict in _occurring(verdicts)
        for marker, fill in [VERDICT_MARKERS[verdict]]
    ]


def _mean_handle(bars: bool) -> Line2D:
    label = "mean, 95% interval" if bars else "mean"
    return Line2D([], [], color=_EDGE, marker="s", markersize=3.5, linewidth=1.3 * bars, label=label)
