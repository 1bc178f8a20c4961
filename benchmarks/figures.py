"""Speed: how many times faster than a reference, how that changed, and how time and memory grow with the data."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure, FigureBase
from matplotlib.ticker import FuncFormatter, Locator, LogLocator, MaxNLocator, NullFormatter

from benchmarks.tables import LEAST_MEMORY, slopes, threads_text
from pulab.figures.panels import make_sheet
from pulib.plots import MARKERS, PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: What is shown of a series: column, label of the axis, and the least value that is measured well.
QUANTITIES = {"seconds": ("seconds", 0.0), "memory_mb": ("peak memory in MB", LEAST_MEMORY)}
_AXES = {"n": "rows n", "d": "features d"}
#: Of a comparison's name, in characters: longer ones would leave the panel no room.
_LONGEST = 48
#: Inches beside a panel: long names come out wider at another resolution.
_ROOM = 0.12
RUNS = "Marks: median run; bars: from the worst to the best run."
HOLLOW = "Hollow: slower than the reference."


def plot_ratios(ax: Axes, rows: pd.DataFrame) -> None:
    """A point per comparison, the first on top: the reference's time over ours, with the range from worst to best run.

    Hollow where ours is slower than its reference.

    Parameters
    ----------
    ax : Axes
    rows : DataFrame
        With the columns of :data:`benchmarks.record.COLUMNS`: comparisons that have a ratio.
    """
    places = np.arange(len(rows))[::-1]
    spread = np.abs(rows[["ratio_min", "ratio_max"]].to_numpy().T - rows["ratio"].to_numpy())
    faster = rows["ratio"].to_numpy() >= 1
    for chosen, face in ((faster, PALETTE[0]), (~faster, "white")):
        style: dict[str, Any] = {"fmt": "o", "color": PALETTE[0], "mfc": face, "capsize": 2, "linewidth": 1.0}
        ax.errorbar(rows["ratio"][chosen], places[chosen], xerr=spread[:, chosen], **style)
    _draw_times_faster(ax)
    ax.set_yticks(places, _ratio_labels(rows), fontsize=7)
    ax.set_ylim(-0.7, len(rows) - 0.3)


def _draw_times_faster(ax: Axes) -> None:
    """A logarithmic axis of ratios, with a line where ours is as fast."""
    ax.axvline(1.0, color="#888888", linewidth=1, zorder=1)
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(_log_ticks(*ax.get_xlim()))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}x"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel("times faster")


def _ratio_labels(rows: pd.DataFrame) -> list[str]:
    """What is done to what; with as much of the shape, the threads and the reference as tells the comparisons apart."""
    if rows.empty:
        return []
    threads = rows["threads"].map(threads_text) if "threads" in rows else ""
    name, short, ref = rows["benchmark"], rows["shape"].str.partition(",")[0], rows["reference"]
    texts = [
        name + " (" + short + ")",
        name + " (" + rows["shape"] + ")",
        name + " (" + short + ", " + threads + ")",
        name + " (" + short + "): " + ref,
        name + " (" + rows["shape"] + ", " + threads + "): " + ref,
    ]
    unique = pd.DataFrame({k: text.where(~text.duplicated(keep=False)) for k, text in enumerate(texts)})
    return [textwrap.fill(str(label), _LONGEST) for label in unique.bfill(axis=1)[0].fillna(texts[-1])]


def overview_figure(tables: Mapping[str, pd.DataFrame]) -> Figure:
    """Every kernel beside its reference: a row per kind of comparison, a mark for the middle one of its data sets and sizes.

    Parameters
    ----------
    tables : mapping of a kernel's title to what was measured of it

    Returns
    -------
    fig : Figure
    """
    parts = [own[(own["measured"] == "ratio") & own["ratio"].notna()].assign(kernel=name) for name, own in tables.items()]
    rows = pd.concat(parts, ignore_index=True)
    if rows.empty:
        return _not_measured("Speed")
    several = rows.groupby(["kernel", "benchmark"])["reference"].transform("nunique") > 1
    rows["row"] = rows["benchmark"] + (", against " + rows["reference"]).where(several, "")
    found = rows.groupby(["kernel", "row"], sort=False)["ratio"].agg(["median", "min", "max", "size"]).reset_index()
    faster = int((found["median"] >= 1).sum())
    note = (
        "Marks: the median over the measured data sets, sizes and numbers of threads (how many, in brackets); bars: from the "
        f"least to the greatest. {HOLLOW} The kernel's table names it."
    )
    kernels = list(dict.fromkeys(found["kernel"]))
    middle = times_in_words(found["median"].median())
    heading = f"{faster} of {len(found)} comparisons are faster than their reference, the median one {middle}"
    body = _sheet(1.2 + 0.22 * (len(found) + len(kernels)), heading, note)
    ax = body.add_subplot()
    names: list[str] = []
    for kernel in kernels:
        names.append(kernel)
        for row in found[found["kernel"] == kernel].itertuples():
            face = PALETTE[0] if row.median >= 1 else "white"
            ax.plot([row.min, row.max], [len(names)] * 2, color=PALETTE[0], linewidth=1.2, zorder=2)
            ax.plot(
                [row.median], [len(names)], marker="o", color=PALETTE[0], mfc=face, markersize=5, linestyle="none", zorder=3
            )
            names.append(f"{row.row} ({row.size})")
    ax.set_yticks(range(len(names)), [textwrap.fill(name, _LONGEST + 6) for name in names], fontsize=7)
    for label, name in zip(ax.get_yticklabels(), names, strict=True):
        label.set_fontweight("bold" if name in kernels else "normal")
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.4, -0.6)
    _draw_times_faster(ax)
    ax.grid(axis="y", visible=False)
    return body.get_figure(root=True)


def _sheet(height: float, heading: str, note: str = "") -> FigureBase:
    """The part of a figure for what is drawn; long names come out wider at another resolution, and get room."""
    fig, body = make_sheet(height, note, heading)
    fig.set_layout_engine("constrained", w_pad=_ROOM)
    return body


def _not_measured(title: str) -> Figure:
    """A package or the data could not be had; the table says which."""
    return make_sheet(1.0, heading=f"{title}: not measured here")[0]


def plot_scaling(ax: Axes, scaling: pd.DataFrame, axis: str, value: str) -> None:
    """Lines of a quantity over a size, both logarithmic, with each line's slope in the legend; a single point is no line.

    Parameters
    ----------
    ax : Axes
    scaling : DataFrame
        Series of which at least one has a slope.
    axis : {"n", "d"}
    value : {"seconds", "memory_mb"}
    """
    label, least = QUANTITIES[value]
    names = list(dict.fromkeys(scaling["benchmark"]))
    style_of = dict(zip(names, zip(PALETTE * 2, MARKERS * 2, strict=True), strict=False))
    for name, slope in _slopes_over(scaling, axis, value).items():
        series = scaling[(scaling["benchmark"] == name) & (scaling["axis"] == axis)]
        used = series[(series[value] > 0) & (series[value] >= least)]
        color, marker = style_of[name]
        ax.plot(used["size"], used[value], marker=marker, color=color, label=f"{name}: {slope:.2f}")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel(_AXES[axis])
    ax.set_ylabel(label)
    for which in (ax.xaxis, ax.yaxis):
        which.set_major_formatter(FuncFormatter(_plain))
        which.set_minor_formatter(NullFormatter())
    ax.xaxis.set_major_locator(_log_ticks(*ax.get_xlim()))
    ax.yaxis.set_major_locator(_log_ticks(*ax.get_ylim()))
    below = ax.legend(fontsize=6.5, title="log-log slope", title_fontsize=6.5, loc="upper center", bbox_to_anchor=(0.5, -0.22))
    below.set_alignment("left")


def _slopes_over(scaling: pd.DataFrame, axis: str, value: str) -> dict[str, float]:
    """The slope of each series that has at least two points over an axis."""
    found = slopes(scaling, value, QUANTITIES[value][1])
    return {name: slope for (name, over), slope in found.items() if over == axis and np.isfinite(slope)}


def _log_ticks(low: float, high: float) -> Locator:
    """Powers of ten, and as many of their multiples as a short range needs to have several ticks; even steps below 3 to 1."""
    if high / low < 3:
        return MaxNLocator(5, steps=[1, 2, 5, 10])  # 1 is among them wherever it is in range
    subs = (1.0,) if high / low > 300 else (1.0, 2.0, 5.0) if high / low > 12 else (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
    return LogLocator(subs=subs, numticks=12)


def _plain(x: float, _position: object) -> str:
    if x >= 1e6:
        return f"{x / 1e6:g}M"
    return f"{x / 1e3:g}k" if x >= 1e4 else f"{x:g}"


def scaling_figure(table: pd.DataFrame, title: str) -> Figure:
    """Comparisons on top, below them time and memory over n and d, as far as they were measured.

    Parameters
    ----------
    table : DataFrame
    title : str

    Returns
    -------
    fig : Figure
    """
    scaling = table[table["measured"] == "scaling"]
    panels = [(axis, value) for axis in _AXES for value in QUANTITIES if _slopes_over(scaling, axis, value)]
    ratios = table[(table["measured"] == "ratio") & table["ratio"].notna()]
    first = int(len(ratios) > 0)
    lines = max((label.count("\n") + 1 for label in _ratio_labels(ratios)), default=1)
    columns = 3 if len(panels) == 3 else 2  # no cell empty
    heights = [0.75 + (0.08 + 0.12 * lines) * len(ratios)] * first + [3.3] * (-(-len(panels) // columns))
    if not heights:
        return _not_measured(title)
    note = f"{RUNS} {HOLLOW}" if first else ""
    body = _sheet(sum(heights) + 0.4, _finding(title, ratios, scaling), note)
    # apart from each other, so that long labels of the comparisons leave the panels their width
    parts = body.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
    if first:
        plot_ratios(parts[0].add_subplot(), ratios)
    for k, (axis, value) in enumerate(panels):
        plot_scaling(parts[first + k // columns].add_subplot(1, columns, 1 + k % columns), scaling, axis, value)
    return body.get_figure(root=True)


def times_in_words(ratio: float) -> str:
    """How many times faster; a ratio that rounds to one is no number of times.

    >>> times_in_words(3.21), times_in_words(1.04)
    ('3.2 times', 'about as fast')
    """
    return "about as fast" if f"{ratio:.2g}" in ("1", "0.99") else f"{ratio:.2g} times"


def _finding(title: str, ratios: pd.DataFrame, scaling: pd.DataFrame) -> str:
    """How many comparisons are faster, or how time grows with the number of rows."""
    if len(ratios):
        middle = ratios["ratio"].median()
        faster = f"{(ratios['ratio'] >= 1).sum()} of {len(ratios)} comparisons are faster than their reference"
        return f"{title}: {faster}, the median one {times_in_words(middle)}"
    grown = _slopes_over(scaling, "n", "seconds").values()
    return f"{title}: time grows like n^{min(grown):.2f} to n^{max(grown):.2f}" if grown else title
