"""Published numbers, drawn next to ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from pulab.figures.style import PUBLISHED_MARKER
from pulab.tables.results import Paper


class Printed(NamedTuple):
    """A published number and its published interval (NaN if there is none)."""

    mean: float
    low: float
    high: float


def printed_numbers(
    paper: Paper, tables: str | Sequence[str], rows: Mapping[str, str], columns: Mapping[str, str]
) -> dict[tuple[str, str], Printed]:
    """Return published numbers by (data set, method).

    ``rows`` maps data sets to published rows, and ``columns`` maps methods to published columns.  The interval is the published
    one (columns ``low`` and ``high``), or else one standard deviation to each side.  A missing mean is the interval's midpoint.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"table": ["2"], "row": ["CIFAR-10"], "column": ["ADAPU"], "mean": [90.0], "sd": [0.5]})
    >>> printed_numbers(Paper(frame), "2", {"cifar10": "CIFAR-10"}, {"adapu": "ADAPU", "mine": "MINE"})
    {('cifar10', 'adapu'): Printed(mean=90.0, low=89.5, high=90.5)}
    """
    numeric = ["mean", "sd", "low", "high"]
    chosen = paper.cells["table"].isin([tables] if isinstance(tables, str) else list(tables))
    table = paper.cells[chosen].set_index(["row", "column"]).reindex(columns=numeric).astype(float)
    out = {}
    for dataset, row in rows.items():
        for method, column in columns.items():
            if (row, column) not in table.index:
                continue
            mean, sd, low, high = table.loc[(row, column)].to_numpy(dtype=float).reshape(-1, 4)[0]
            low, high = (mean - sd, mean + sd) if np.isnan(low) else (low, high)
            out[dataset, method] = Printed(float(0.5 * (low + high) if np.isnan(mean) else mean), float(low), float(high))
    return out


def draw_printed(
    ax: Axes, x: float, number: Printed, color: str, *, low: float = -np.inf, high: float = np.inf, **marks: Any
) -> None:
    """Draw a hollow diamond with its interval, cut off at the possible range."""
    error = None
    if np.isfinite(number.low):
        error = [[number.mean - max(low, number.low)], [min(high, number.high) - number.mean]]
    style = {
        "mfc": "white",
        "mec": color,
        "ecolor": color,
        "mew": 1.2,
        "ms": 5,
        "elinewidth": 0.8,
        "clip_on": False,
        "zorder": 5,
    }
    ax.errorbar([x], [number.mean], yerr=error, fmt=PUBLISHED_MARKER, **{**style, **marks})


def separate(values: Sequence[float], gap: float, low: float, high: float) -> np.ndarray:
    """Return places near the values, in the same order and at least ``gap`` apart, within the limits if they fit.

    >>> separate([3.0, 3.1, 9.0], 1.0, 0.0, 10.0).round(2).tolist()
    [2.55, 3.55, 9.0]
    """
    values = np.asarray(values, dtype=float)
    order = np.argsort(values, kind="stable")
    wanted = np.clip(values[order], low, high) - gap * np.arange(len(values))
    # after subtracting the gaps, isotonic regression finds the nearest ordered places: pooled neighbors share their mean
    from sklearn.isotonic import isotonic_regression

    placed = isotonic_regression(wanted, y_min=low, y_max=max(low, high - gap * (len(values) - 1)))
    out = np.empty(len(values))
    out[order] = placed + gap * np.arange(len(values))
    return out
