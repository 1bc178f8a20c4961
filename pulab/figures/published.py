"""Published performances beside ours, from the scoreboard: all of them against each other, and their differences by method.

Only performances are drawn (no counts of wins, no parameters, no times), each once, by the study's main reading.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pulab.figures.panels import make_page, make_sheet, say_nothing_to_draw
from pulab.tables.record import judged_performances, signed
from pulab.tables.verdict import CLOSE, CLOSE_ENOUGH, VERDICTS

#: Marker and fill of each verdict, as in the report: they differ in gray, too.
VERDICT_LOOKS = {
    "reproduced": ("o", "#56B4E9"),
    "cannot tell": ("o", "#FFFFFF"),
    "close": ("D", "#F0E442"),
    "different": ("^", "#D55E00"),
}
#: Differences beyond so many points stand at the edge of a forest plot, with their number.
MOST = 15.0
_EDGE = "#222222"


def performances(cells: pd.DataFrame) -> pd.DataFrame:
    """The judged performances of a scoreboard, with ``x`` and ``y``: published and ours in percent.

    Parameters
    ----------
    cells : DataFrame
        Of :func:`pulab.tables.read_cells`.
    """
    shown = judged_performances(cells)
    return shown.assign(x=shown["published"] * shown["points"], y=shown["ours"] * shown["points"])


def cited(citation: str) -> str:
    """A study's title where there is little room: the authors of its paper and the year.

    >>> cited("Wilton, Koay, Ko, Xu, Ye (2022). Random forests"), cited("Yu and Zhou (2010). A framework")
    ('Wilton et al. 2022', 'Yu and Zhou 2010')
    """
    authors, year, _ = re.split(r" \((\d{4})\)", citation, maxsplit=1)
    first, *others = authors.split(", ")
    return f"{first}{' et al.' if others else ''} {year}"


def published_against_ours(cells: pd.DataFrame, titles: Mapping[str, str]) -> Figure:
    """A panel per study, both axes of all panels on one scale; a mark per performance, by its verdict.

    Parameters
    ----------
    cells : DataFrame
    titles : mapping of study to title
        Studies without a judged performance have no panel.
    """
    cells = performances(cells)
    cells = cells[cells["study"].isin(list(titles))]
    shown = [study for study in titles if (cells["study"] == study).any()]
    counts = {study: (cells.loc[cells["study"] == study, "verdict"] == "reproduced").agg(["sum", "size"]) for study in shown}
    headings = [f"{titles[study]}: {counts[study]['sum']} of {counts[study]['size']}" for study in shown]
    total, size = (sum(count[name] for count in counts.values()) for name in ("sum", "size"))
    note = (
        "Each mark is a published accuracy, F1 or area under a curve. A panel's title counts those that are reproduced. Gray "
        "lines: 95% interval of the difference. Dashed: ours equals the published value."
    )
    heading = f"{total} of {size} published performances are reproduced" if shown else ""
    page = make_page(
        headings, note=note if shown else "", heading=heading,
        row_height=2.5, extra=0.3, title_size=8, sharex=True, sharey=True,
    )  # fmt: skip
    if not shown:
        return page.fig
    low = min(10 * np.floor(cells[["x", "y"]].min().min() / 10), 90.0)
    for ax, study in zip(page.axes, shown, strict=True):
        _draw_scatter(ax, cells[cells["study"] == study], (low, 101.0))
        ax.set_xlabel("published in %" if study in shown[-3:] else "")
        ax.set_ylabel("ours in %" if ax.get_subplotspec().is_first_col() else "")  # type: ignore[union-attr]
    page.add_legend(verdict_handles(), fontsize=8)
    return page.fig


def _draw_scatter(ax: Axes, cells: pd.DataFrame, limits: tuple[float, float]) -> None:
    ax.plot(limits, limits, color="#6B7783", linestyle="--", linewidth=0.9, zorder=1)
    half = 2 * cells["se"].fillna(0.0)
    ax.vlines(
        cells["x"],
        (cells["y"] - half).clip(lower=0),
        (cells["y"] + half).clip(upper=100),
        color="#98A3AD",
        linewidth=0.7,
        zorder=2,
    )
    for verdict in VERDICTS:
        own = cells[cells["verdict"] == verdict]
        marker, fill = VERDICT_LOOKS[verdict]
        ax.scatter(own["x"], own["y"], s=14, marker=marker, c=fill, edgecolors=_EDGE, linewidths=0.5, zorder=3)
    ax.set(xlim=limits, ylim=limits, aspect="equal")
    step = 10 if limits[1] - limits[0] < 55 else 20
    ticks = np.arange(step * np.ceil(limits[0] / step), 101, step)
    ax.set(xticks=ticks, yticks=ticks)


def differences(cells: pd.DataFrame, study: str, title: str = "", *, marks: bool = True) -> Figure:
    """A forest plot: ours minus published in points, a row per published method, a mark per performance, and their mean.

    What is beyond :data:`MOST` points stands at the edge with its number.

    Parameters
    ----------
    cells : DataFrame
    study : str
    title : str
        Of the study; the figure's title says what was found.
    marks : bool, default=True
        Whether every performance is drawn, or the means alone.
    """
    cells = performances(cells)
    cells = cells[cells["study"] == study]
    names = list(dict.fromkeys(cells["column"]))
    drawn = "Each mark is a published performance (their number in brackets): ours" if marks else "Ours"
    note = (
        f"{drawn} minus published, in points of percent or hundredths of an area. Squares and bars: mean"
        f"{'' if marks else ' over the performances in brackets'} and, of three or more, its 95% interval "
        f"(Student's t). Shaded: within {CLOSE_ENOUGH:g} and {CLOSE:g} points."
    )
    fig, body = make_sheet(0.95 + 0.3 * max(len(names), 2), note if names else "")
    ax = body.add_subplot()
    if not names:
        say_nothing_to_draw(ax)
        return fig
    limit = float(np.clip(np.ceil(1.08 * cells["difference"].abs().max()), 4.0, MOST))
    for place, name in enumerate(names):
        _draw_row(ax, cells[cells["column"] == name], place, limit, marks)
    for points, color in ((CLOSE, "#F2F2F2"), (CLOSE_ENOUGH, "#DDE9F2")):
        ax.axvspan(-points, points, color=color, linewidth=0, zorder=0)
    ax.axvline(0.0, color="#444444", linewidth=0.8, zorder=1)
    ax.set_yticks(range(len(names)), [f"{name} ({(cells['column'] == name).sum()})" for name in names])
    ax.set(xlim=(-limit, limit), ylim=(len(names) - 0.5, -0.5), xlabel="ours minus published, points")
    ax.grid(axis="y", visible=False)
    within = int((cells["difference"].abs() <= CLOSE).sum())
    found = f"{within} of {len(cells)} performances within {CLOSE:g} points of the published value"
    ax.set_title(": ".join(filter(None, [title, found])), loc="left", fontsize=9)
    handles = [*verdict_handles(), _mean_handle()] if marks else [_mean_handle()]
    body.legend(handles=handles, loc="outside lower center", ncols=5, fontsize=7)
    return fig


def _draw_row(ax: Axes, cells: pd.DataFrame, place: int, limit: float, marks: bool) -> None:
    """Marks below each other around the row's place, so that equal ones stay visible, and the mean above them."""
    from pulib.statistics import mean_ci  # all else that is drawn needs no SciPy, whose tests take half a second to load

    shift = np.linspace(-0.18, 0.26, len(cells)) if len(cells) > 1 else np.zeros(1)
    for verdict in reversed(VERDICTS) if marks else ():
        own = (cells["verdict"] == verdict).to_numpy()
        marker, fill = VERDICT_LOOKS[verdict]
        x = cells["difference"].clip(-limit, limit)[own]
        style: dict[str, Any] = {"edgecolors": _EDGE, "linewidths": 0.4, "alpha": 0.85, "clip_on": False, "zorder": 3}
        ax.scatter(x, place + shift[own], s=12, marker=marker, c=fill, **style)
    edges = ((cells["difference"] < -limit, -0.98 * limit), (cells["difference"] > limit, 1.02 * limit))
    for beyond, edge in edges if marks else ():
        text = ", ".join(signed(value, 0) for value in sorted(cells.loc[beyond, "difference"]))
        ax.text(edge, place + 0.04, text, va="center", fontsize=6.5, color=_EDGE)
    if len(cells) > 2 or not marks:
        found, y = mean_ci(cells["difference"].to_numpy()), place - 0.33 * marks
        bar = np.clip([found.low, found.high], -limit, limit)
        if len(cells) > 2:
            ax.plot(bar, [y] * 2, color=_EDGE, linewidth=1.3, solid_capstyle="butt", zorder=4)
        ax.plot([np.clip(found.mean, -limit, limit)], [y], color=_EDGE, marker="s", markersize=3.5, zorder=4)


def verdict_handles() -> list[Line2D]:
    """Entries of a legend, one per verdict."""
    return [
        Line2D([], [], linestyle="none", marker=marker, mfc=fill, mec=_EDGE, mew=0.5, markersize=5, label=verdict)
        for verdict, (marker, fill) in VERDICT_LOOKS.items()
    ]


def _mean_handle() -> Line2D:
    return Line2D([], [], color=_EDGE, marker="s", markersize=3.5, linewidth=1.3, label="mean, 95% interval")
