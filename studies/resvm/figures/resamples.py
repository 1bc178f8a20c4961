"""Figure 2.1: contamination of bootstrap resamples by size, from the binomial distribution."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import ScalarFormatter
from scipy.stats import binom

from pulab.figures.panels import make_sheet
from pulib.plots import COLUMN

SIZES, CONTAMINATION = (5, 10, 20, 50, 100, 200, 500, 1000), 0.1


def draw_resamples() -> Figure:
    frame = resample_contamination(SIZES, CONTAMINATION)
    ends = [f"{100 * row.low:.0f} to {100 * row.high:.0f}%" for row in (frame.iloc[0], frame.iloc[-1])]
    first, last = frame["size"].iloc[[0, -1]]
    heading = f"Of a resample of {first} rows, {ends[0]} are contaminated; of one of {last:,} rows, {ends[1]}"
    note = "Bars: 95% intervals of the binomial distribution. Dashed: the original set."
    fig, body = make_sheet(2.8, note, heading, width=1.4 * COLUMN)
    draw_contamination(body.add_subplot(), frame, CONTAMINATION)
    return fig


def resample_contamination(sizes: Sequence[int], contamination: float) -> pd.DataFrame:
    """Return contaminated shares of bootstrap resamples by ``size`` (section 2.3.1): ``mean``, and 95% interval ``low, high``.

    Rows are drawn with replacement, so the number of contaminated rows is binomial.

    >>> resample_contamination([10, 1000], 0.1).round(3).to_numpy().tolist()
    [[10.0, 0.1, 0.0, 0.3], [1000.0, 0.1, 0.082, 0.119]]
    """
    size = np.asarray(sizes)
    low, high = (binom.ppf(share, size, contamination) / size for share in (0.025, 0.975))
    return pd.DataFrame({"size": size, "mean": contamination, "low": low, "high": high})


def draw_contamination(ax: Axes, frame: pd.DataFrame, contamination: float) -> None:
    """Draw the mean and interval of the contamination, in percent, by size of the resample."""
    below, above = 100 * (frame["mean"] - frame["low"]), 100 * (frame["high"] - frame["mean"])
    ax.errorbar(frame["size"], 100 * frame["mean"], yerr=[below, above], fmt="o", capsize=3, linewidth=1.2)
    ax.axhline(100 * contamination, color="#888888", linewidth=0.8, linestyle="--")
    ax.set(xscale="log", xticks=frame["size"], ylim=(0, None))
    ax.xaxis.set_major_formatter(ScalarFormatter())
    ax.minorticks_off()
    ax.set(xlabel="rows of the resample", ylabel="contamination in %")
