"""Page of a figure: panels for the available results, a legend where there is room, and a note on what is missing."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure, FigureBase
from matplotlib.lines import Line2D

from pulab.figures.style import Style
from pulab.tables.results import Results
from pulib.plots import PAGE

#: Titles of data sets that override the registry's.
Titles = Mapping[str, str]
#: Shown where a run has nothing to draw.
NOT_RUN = "not part of this run"
_NOTE_SIZE = 6.5  # points
_CHARACTERS = 19.5  # of a note per inch
_HEADING_CHARACTERS = 12.5


@dataclass
class Page:
    """A figure, the part of it that contains panels, its panels, and the grid cells left over."""

    fig: Figure
    body: FigureBase
    axes: list[Axes]
    spare: list[Axes]

    def add_legend(self, handles: Sequence[Artist], **options: Any) -> None:
        """Place a legend in the first spare cell, or else below the panels."""
        if not handles:
            return
        if self.spare:
            self.spare[0].legend(handles=handles, loc="center left", **options)
        else:
            widest = max(len(str(handle.get_label())) for handle in handles)
            columns = max(1, min(len(handles), int(self.fig.get_figwidth() * 16 / (widest + 7))))
            columns = math.ceil(len(handles) / math.ceil(len(handles) / columns))
            self.body.legend(handles=handles, loc="outside lower center", ncols=columns, **options)


def grid_shape(n: int) -> tuple[int, int]:
    """Return rows and columns for ``n`` panels, with at most one empty cell for up to six panels.

    >>> [grid_shape(n) for n in (1, 2, 3, 4, 5, 6, 8)]
    [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (2, 3), (3, 3)]
    """
    columns = n if n <= 3 else 2 if n == 4 else 3
    return math.ceil(n / columns), columns


def make_sheet(height: float, note: str = "", heading: str = "", *, width: float = PAGE) -> tuple[Figure, FigureBase]:
    """Return a figure with a note at the bottom, and its part above the note, ``height`` inches tall, under a heading."""
    lines = textwrap.wrap(note, int(width * _CHARACTERS))
    foot = (len(lines) * 1.25 + 0.6) * _NOTE_SIZE / 72 if lines else 0.0
    fig = Figure(figsize=(width, height + foot))
    body: FigureBase = fig
    if lines:
        body, below = fig.subfigures(2, 1, squeeze=False, height_ratios=[height, foot])[:, 0]
        below.text(0.012, 0.95, "\n".join(lines), fontsize=_NOTE_SIZE, color="#444444", va="top")
    if heading:
        title = textwrap.fill(heading, int(width * _HEADING_CHARACTERS), break_on_hyphens=False)
        body.suptitle(title, x=0.01, ha="left", fontsize=9, fontweight="bold")
    return fig, body


def make_page(
    titles: Sequence[str],
    *,
    note: str = "",
    heading: str = "",
    shape: tuple[int, int] | None = None,
    row_height: float = 2.3,
    extra: float = 0.3,
    width: float = PAGE,
    title_size: float = 10,
    **subplots: Any,
) -> Page:
    """Make a page of titled panels, or of a single one that says that there is nothing to draw.

    ``note`` at the bottom explains the marks and what is missing; ``heading`` at the top says what the figure shows.
    ``row_height``, ``extra`` and ``width`` are the sizes, in inches, of a row of panels, of what surrounds the panels, and of
    the page.  Other keywords are passed to ``subplots``, such as ``sharey``.
    """
    rows, columns = shape or grid_shape(max(1, len(titles)))
    fig, body = make_sheet(rows * row_height + extra, note if titles else "", heading if titles else "", width=width)
    axes = list(body.subplots(rows, columns, squeeze=False, **subplots).ravel())
    if not titles:
        draw_empty_panel(axes[0])
        return Page(fig, body, [], [])
    for ax, title in zip(axes, titles, strict=False):
        ax.set_title(title, loc="left", fontsize=title_size)
        ax.tick_params(labelbottom=True, labelleft=True)
    for ax in axes[len(titles) :]:
        ax.set_axis_off()
    return Page(fig, body, axes[: len(titles)], axes[len(titles) :])


def share_percent_axis(axes: Sequence[Axes]) -> None:
    """Put all panels on one percentage scale, which starts at the multiple of ten below the lowest value."""
    drawn = [ax.dataLim.ymin for ax in axes if ax.has_data() and math.isfinite(ax.dataLim.ymin)]
    for ax in axes:
        ax.set_ylim(10 * math.floor(min(drawn, default=0) / 10), 102)


def draw_empty_panel(ax: Axes) -> None:
    """Write on an empty panel that this run has no such results."""
    ax.text(0.5, 0.5, NOT_RUN, transform=ax.transAxes, ha="center", va="center", color="#555555", fontsize=8)
    ax.set(xticks=[], yticks=[])


def panel_sets(results: Results, datasets: Sequence[str], known: Iterable[str], titles: Titles | None = None) -> dict[str, str]:
    """Return the paper's data sets that have results and their titles; each stand-in appears once, marked as such.

    ``titles`` override the registry's.
    """
    known, shown = set(known), {}
    for name in datasets:
        stand_in = results.stand_ins.get(name)
        actual = stand_in or name
        if actual in known and (actual not in shown or not stand_in):
            shown[actual] = title_of(results, actual, titles) + (" (stand-in)" if stand_in else "")
    return shown


def title_of(results: Results, dataset: str, titles: Titles | None = None) -> str:
    """Return a data set's title: the figure's own, or else the registry's, shortened if it is too long for a panel."""
    title = results.title(dataset)
    return (titles or {}).get(dataset) or (title if len(title) <= 24 else title.split(",")[0])


def missing_note(
    results: Results, tidy: pd.DataFrame, datasets: Sequence[str], methods: Iterable[str], titles: Titles | None = None
) -> str:
    """List the data sets and methods of a figure that could not be run, and why; empty if there are none.

    ``tidy`` has the figure's setting, including rows without numbers; ``titles`` override the registry's.
    """
    methods = list(methods)
    rows = tidy[tidy["method"].isin(methods)]
    parts = []
    for dataset in datasets:
        if dataset in results.stand_ins:
            continue
        part, title = rows[rows["dataset"] == dataset], title_of(results, dataset, titles)
        failed = part[part["status"] != "ok"].drop_duplicates("method").set_index("method")["message"].map(_short_reason)
        if part.empty:
            parts.append(f"{title} ({NOT_RUN})")
        elif not (part["status"] == "ok").any():
            parts.append(f"{title} ({'; '.join(dict.fromkeys(failed))})")
        else:
            without = [method for method in failed.index if not (part.loc[part["method"] == method, "status"] == "ok").any()]
            parts += [f"{results.labels[method]} on {title} ({failed[method]})" for method in without]
    return f"Not shown: {'; '.join(dict.fromkeys(parts))}." if parts else ""


def _short_reason(message: str) -> str:
    """Shorten a reason by leaving out the files and URLs that were tried."""
    return "could not be downloaded" if "could not be downloaded" in message else message.splitlines()[0]


def method_handles(styles: Mapping[str, Style], labels: Mapping[str, str]) -> list[Line2D]:
    """Return a legend entry per method."""
    return [
        Line2D([], [], color=style.color, marker=style.marker, label=labels.get(name, name)) for name, style in styles.items()
    ]
