"""Figure 2.1: contamination of bootstrap resamples by their size, simulated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import ScalarFormatter

from pulab.figures.panels import make_sheet
from pulib.plots import COLUMN


def draw(spec: Mapping[str, Any], tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration."""
    frame = resample_contamination(spec["sizes"], spec["contamination"], spec["n_draws"])
    ends = [f"{100 * row.low:.0f} to {100 * row.high:.0f}%" for row in (frame.iloc[0], frame.iloc[-1])]
    heading = (
        f"Of resamples of {frame['size'].iloc[0]} rows {ends[0]} are contaminated, of {frame['size'].iloc[-1]} rows {ends[1]}"
    )
    note = f"Circles and bars: means and 95% intervals over {spec['n_draws']:,} resamples. Dashed: the original set."
    fig, body = make_sheet(2.8, note, heading, width=1.4 * COLUMN)
    draw_contamination(body.add_subplot(), frame, spec["contamination"])
    return fig


def resample_contamination(
    sizes: Sequence[int], contamination: float = 0.1, n_draws: int = 20_000, confidence: float = 0.95, random_state: int = 0
) -> pd.DataFrame:
    """Contamination of bootstrap resamples by their size (section 2.3.1, figure 2.1).

    Parameters
    ----------
    sizes : sequence of int
        Sizes of the resamples.
    contamination : float in [0, 1]
        Of the set that is resampled.
    n_draws : int
        Resamples of each size.
    confidence : float in (0, 1)
        Share of the resamples between the quantiles ``low`` and ``high``.

    Returns
    -------
    frame : DataFrame with the columns ``size, mean, low, high``, shares in [0, 1]

    Examples
    --------
    >>> frame = resample_contamination([10, 1000], contamination=0.1, n_draws=2000)
    >>> bool(frame["high"].is_monotonic_decreasing)
    True
    """
    rng = np.random.default_rng(random_state)
    tail = (1.0 - confidence) / 2.0
    out = []
    for size in sizes:
        # draws with replacement: the number of wrong rows is binomial
        shares = rng.binomial(size, contamination, size=n_draws) / size
        low, high = np.quantile(shares, [tail, 1.0 - tail])
        out.append({"size": int(size), "mean": shares.mean(), "low": low, "high": high})
    return pd.DataFrame(out)


def draw_contamination(ax: Axes, frame: pd.DataFrame, contamination: float) -> None:
    """Mean and interval of the contamination, in percent, by size of the resample."""
    below, above = 100 * (frame["mean"] - frame["low"]), 100 * (frame["high"] - frame["mean"])
    ax.errorbar(frame["size"], 100 * frame["mean"], yerr=[below, above], fmt="o", capsize=3, linewidth=1.2)
    ax.axhline(100 * contamination, color="#888888", linewidth=0.8, linestyle="--")
    ax.set(xscale="log", xticks=frame["size"], ylim=(0, None))
    ax.xaxis.set_major_formatter(ScalarFormatter())
    ax.minorticks_off()
    ax.set(xlabel="rows of the resample", ylabel="contamination in %")
