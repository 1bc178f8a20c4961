"""Speed in two figures: how many times faster than a reference each kernel is, and how its time grows with the data."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure, FigureBase
from matplotlib.ticker import FuncFormatter, Locator, LogLocator, MaxNLocator, NullFormatter

from pulab.figures.panels import make_sheet, say_nothing_to_draw
from pulab.figures.style import BLUE, MUTED
from pulab.tables.sentences import sentence_case

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: What names of measurements say in code, in words; patterns, in the order in which they are replaced.
WORDS = {
    r"ExtraTreesClassifier\.\w+": "scikit-learn's extra trees",
    r"SGDClassifier\.(partial_)?fit": "scikit-learn's SGD",
    r"AdaBoostClassifier, one round, times 100": "scikit-learn's AdaBoost, 100 rounds",
    r"SVC\(precomputed\)": "SVMs, the kernel given",
    r"LinearSVC\(dual=True\)": "linear SVMs, dual",
    r"LinearSVC\(dual=False\)": "linear SVMs, primal",
    r"partial_fit, CSR": "update, sparse",
    r"partial_fit": "update",
    r"\bnnpu$": "nnPU risk",
    r"\bpn$": "PN risk",
    r"nothing compiled before": "the same, compiled then",
    r"reading the codes": "a pass that only reads the rows",
    r"PUExtraTreesClassifier": "PU extra trees",
    r"AdaPUClassifier": "Ada-PU",
    r"OnlinePUClassifier": "online PU",
    r"UnbiasedPUClassifier": "unbiased PU",
    r"SGBDotaClassifier": "SGBDota",
    r"RobustEnsembleSVC": "RESVM",
}
#: Characters of a name, beyond which it is broken.
_LONGEST = 44
#: Times faster, or slower, up to which two take about as long.
TIED = 1.1
#: Exponents up to which growth is about linear.
LINEAR = 1.1
_AXES = {"n": "rows", "d": "features"}


def in_words(name: str) -> str:
    """What a measurement, or what it is compared with, is called in a figure.

    >>> in_words("partial_fit, a row"), in_words("ExtraTreesClassifier.predict"), in_words("fit, nnpu")
    ('update, a row', "scikit-learn's extra trees", 'fit, nnPU risk')
    """
    for pattern, words in WORDS.items():
        name = re.sub(pattern, words, name)
    return name


def overview_figure(tables: Mapping[str, pd.DataFrame]) -> Figure:
    """Every kernel compared with its references: a row per kind of comparison, a mark for the middle one of its sizes.

    Parameters
    ----------
    tables : mapping of a kernel's title to what was measured of it

    Returns
    -------
    fig : Figure
    """
    rows = _measured(tables, "ratio").dropna(subset="ratio")
    found = rows.groupby(["kernel", "benchmark", "reference"], sort=False)["ratio"].agg(["median", "min", "max", "size"])
    found = found.reset_index()
    faster, slower = found["median"] > TIED, found["median"] < 1 / TIED
    heading = (
        f"{faster.sum()} of {len(found)} comparisons are more than {TIED:g} times as fast as their reference, "
        f"{(~faster & ~slower).sum()} take about as long, {slower.sum()} are slower"
    )
    note = (
        "Marks: the median run or, over several data sets, sizes and numbers of threads (how many, in brackets), the median of "
        f"these; bars: from the least to the greatest. Gray: about as long (at most {TIED:g} times faster or slower, the "
        "shaded band); hollow: slower. The references stand to the right."
    )
    names = [in_words(row.benchmark) + (f" ({row.size})" if row.size > 1 else "") for row in found.itertuples()]
    body, axes, places = _sheet(found["kernel"], names, heading, note, 1)
    for place, row in zip(places, found.itertuples(), strict=True):
        color = BLUE if faster[row.Index] or slower[row.Index] else MUTED
        _draw_mark(axes[0], place, row.median, row.min, row.max, color=color, filled=not slower[row.Index])
        _draw_aside(axes[0], place, in_words(row.reference))
    if places:
        _draw_aside(axes[0], 0.0, "compared with", fontweight="bold")
        _draw_times_faster(axes[0])
    return body.get_figure(root=True)


def growth_figure(tables: Mapping[str, pd.DataFrame]) -> Figure:
    """How time grows with the data: the power of the number of rows, and of features, a row per series.

    Parameters
    ----------
    tables : mapping of a kernel's title to what was measured of it

    Returns
    -------
    fig : Figure
    """
    series = _measured(tables, "scaling").groupby(["kernel", "benchmark", "axis"], sort=False)
    powers = {key: growth for key, own in series if (growth := powers_of(own))}
    found = pd.DataFrame([key[:2] for key in powers], columns=["kernel", "benchmark"]).drop_duplicates(ignore_index=True)
    by_rows = [growth[0] for (_, _, axis), growth in powers.items() if axis == "n"]
    linear = sum(power <= LINEAR for power in by_rows)
    heading = f"Time grows about linearly with the number of rows, or more slowly, in {linear} of {len(by_rows)} series"
    note = (
        f"Marks: the power of the size with which time grows, fitted over all measured sizes (1: linear; about linear: up to "
        f"{LINEAR:g}); bars: from the least to the greatest power between two neighboring sizes."
    )
    names = [in_words(name) for name in found["benchmark"]]
    body, axes, places = _sheet(found["kernel"], names, heading, note, 2)
    for ax, (axis, size) in zip(axes, _AXES.items(), strict=False):
        for place, key in zip(places, found.itertuples(index=False), strict=True):
            if (*key, axis) in powers:
                _draw_mark(ax, place, *powers[(*key, axis)])
        ax.axvline(1.0, color="#888888", linewidth=1, zorder=1)
        ax.set_xlabel(f"power of the number of {size}")
    return body.get_figure(root=True)


def powers_of(series: pd.DataFrame) -> tuple[float, float, float] | None:
    """The power of the size with which time grows, and its range from one size to the next; None of fewer than two sizes.

    >>> powers_of(pd.DataFrame({"size": [1, 10, 100], "seconds": [1.0, 10.0, 1000.0]}))
    (1.5, 1.0, 2.0)
    """
    own = series[series["seconds"] > 0].sort_values("size")
    if own["size"].nunique() < 2:
        return None
    size, seconds = np.log(own["size"].to_numpy(dtype=float)), np.log(own["seconds"].to_numpy(dtype=float))
    steps = np.diff(seconds) / np.diff(size)
    fitted, low, high = np.polyfit(size, seconds, 1)[0], steps.min(), steps.max()
    return round(float(fitted), 6), round(float(low), 6), round(float(high), 6)


def _measured(tables: Mapping[str, pd.DataFrame], kind: str) -> pd.DataFrame:
    parts = [own[own["measured"] == kind].assign(kernel=name) for name, own in tables.items()]
    return pd.concat(parts, ignore_index=True)


def _sheet(
    kernels: pd.Series, names: Sequence[str], heading: str, note: str, columns: int
) -> tuple[FigureBase, Sequence[Axes], list[float]]:
    """A page with a row per name, below its kernel's, and where the rows are; or one that says that there is nothing."""
    n = len(names) + kernels.nunique()
    fig, body = make_sheet(1.2 + 0.19 * n, note if n else "", heading if n else "Speed: not measured here")
    fig.set_layout_engine("constrained", w_pad=0.12)  # long names come out wider at another resolution
    axes = body.subplots(1, columns, sharex=True, sharey=True, squeeze=False)[0]
    if not n:
        say_nothing_to_draw(axes[0])
        return body, axes, []
    labels: list[str] = []
    places: list[float] = []
    heads: dict[str, int] = {}
    for kernel, name in zip(kernels, names, strict=True):
        if kernel not in heads:
            heads[kernel] = len(labels)
            labels.append(kernel)
        places.append(float(len(labels)))
        labels.append(textwrap.fill(sentence_case(name), _LONGEST))
    axes[0].set_yticks(range(len(labels)), labels, fontsize=7)
    axes[0].set_ylim(len(labels) - 0.4, -0.6)
    for place in heads.values():
        axes[0].get_yticklabels()[place].set_fontweight("bold")
    for ax in axes:
        ax.tick_params(axis="y", length=0)
    return body, axes, places


def _draw_mark(
    ax: Axes, place: float, middle: float, low: float, high: float, *, color: str = BLUE, filled: bool = True
) -> None:
    ax.plot([low, high], [place] * 2, color=color, linewidth=1.2, zorder=2)
    ax.plot([middle], [place], marker="o", color=color, mfc=color if filled else "white", markersize=4.5, zorder=3)


def _draw_aside(ax: Axes, place: float, words: str, **font: Any) -> None:
    """Words to the right of a row."""
    ax.text(1.02, place, words, transform=ax.get_yaxis_transform(), va="center", fontsize=6.5, color="#444444", **font)


def _draw_times_faster(ax: Axes) -> None:
    """A logarithmic axis of ratios, with a line where ours is as fast, and a band where it is about as fast."""
    ax.axvspan(1 / TIED, TIED, color="#EEEEEE", linewidth=0, zorder=0)
    ax.axvline(1.0, color="#888888", linewidth=1, zorder=1)
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(_log_ticks(*ax.get_xlim()))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}x"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel("times faster")


def _log_ticks(low: float, high: float) -> Locator:
    """Powers of ten, and as many of their multiples as a short range needs to have several ticks; even steps below 3 to 1."""
    if high / low < 3:
        return MaxNLocator(5, steps=[1, 2, 5, 10])  # 1 is among them wherever it is in range
    subs = (1.0,) if high / low > 300 else (1.0, 2.0, 5.0) if high / low > 12 else (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
    return LogLocator(subs=subs, numticks=12)
