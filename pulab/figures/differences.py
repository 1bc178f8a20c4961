"""Heat maps of differences: each cell is a mean over repeats, in bold if it differs from zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes

from pulab.figures.style import INK
from pulab.tables.numerals import signed
from pulib.statistics import mean_ci

#: Blue above zero, brown below: distinct for color-blind readers, and darker than values near zero.
COLORS = "BrBG"
#: Explanation of the numbers, for a figure's note.
NOTE = (
    "Bold: the 95% interval over repeats (paired Student's t) excludes zero. Not bold: it includes zero, or there are fewer "
    "than three repeats."
)
#: Numbers are white beyond this share of the color scale.
_DARK = 0.6


def interval_excludes_zero(values: pd.Series) -> bool:
    """Return whether the 95% interval of a mean excludes zero; False for fewer than three values.

    >>> interval_excludes_zero(pd.Series([1.0, 1.1, 1.2])), interval_excludes_zero(pd.Series([-1.0, 1.1, 1.2]))
    (True, False)
    """
    if len(values) < 3:
        return False
    found = mean_ci(values.to_numpy())
    return bool(found.low > 0 or found.high < 0)


def draw_differences(
    ax: Axes, frame: pd.DataFrame, rows: Mapping[str, str], columns: Sequence[float | str], limit: float
) -> None:
    """Draw a heat map of mean differences, with numbers in bold if they differ from zero.

    ``frame`` has the columns ``row``, ``column`` and ``value``, with a row for each repeat.  ``rows`` maps rows to their
    labels, from top to bottom; a label may be empty.  The color scale extends from ``-limit`` to ``limit``.
    """
    groups = frame.groupby(["row", "column"], observed=True)["value"]
    means, differ = (groups.agg(of).unstack("column").reindex(index=list(rows), columns=list(columns))
                   for of in ("mean", interval_excludes_zero))  # fmt: skip
    sns.heatmap(
        means.astype(float), ax=ax, cmap=COLORS, vmin=-limit, vmax=limit, cbar=False, linewidths=0.6, linecolor="white",
        rasterized=True,
    )  # fmt: skip
    for (i, j), value in np.ndenumerate(means.to_numpy(dtype=float)):
        if np.isfinite(value):
            color, weight = "white" if abs(value) > _DARK * limit else INK, "bold" if differ.iloc[i, j] else "normal"
            ax.text(j + 0.5, i + 0.5, signed(value, 0), ha="center", va="center", fontsize=6.5, color=color, weight=weight)
    ax.set_yticks(np.arange(len(rows)) + 0.5, list(rows.values()), rotation=0, fontsize=7.5)
    ax.tick_params(length=0)
    ax.set(xlabel="", ylabel="")
    ax.grid(False)
    engine: Any = ax.get_figure(root=True).get_layout_engine()  # type: ignore[union-attr]
    if engine:
        engine.set(w_pad=0.12, rect=(0.02, 0, 0.98, 1))  # row labels are wider at another resolution


def scale_end(*frames: pd.DataFrame) -> float:
    """Return the shared end of several panels' color scales: the largest absolute mean difference, at least one point."""
    means = [frame.groupby(["row", "column"], observed=True)["value"].mean().abs().max() for frame in frames if len(frame)]
    return float(max([1.0, *means]))
