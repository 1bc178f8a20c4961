"""Means with their spread, one line per method."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes

from pulab.figures.labels import End
from pulab.figures.panels import say_nothing_to_draw
from pulab.figures.series import aligned, spread_within
from pulab.figures.style import Style


def curves_frame(results: pd.DataFrame, methods: Mapping[str, str], metric: str, scale: float = 1.0) -> pd.DataFrame:
    """A series of several methods, long: ``line, repeat, step, value``.

    Parameters
    ----------
    results : DataFrame
        Tidy results of one data set and setting.
    methods : mapping of line to method
    metric : str
    scale : float
        Factor of the values: 100 shows shares as percentages.
    """
    frames = [aligned(results[results["method"] == method], metric).assign(line=line) for line, method in methods.items()]
    frame = pd.concat(frames, ignore_index=True)
    return frame.assign(value=scale * frame["value"])


def draw_lines(
    ax: Axes,
    frame: pd.DataFrame,
    styles: Mapping[str, Style],
    *,
    low: float,
    high: float,
    standard_error: bool = False,
    marker_steps: int = 1,
) -> None:
    """Mean over repeats by step, with its spread as a band, inside what is possible; or that there is none.

    Parameters
    ----------
    ax : Axes
    frame : DataFrame
        With the columns ``line``, ``step`` and ``value``.
    styles : mapping of line to Style
    low, high : float
        The least and the greatest possible value.
    standard_error : bool
        The mean's, in place of the standard deviation over repeats.
    marker_steps : int
        A marker at every so many steps.
    """
    if frame.empty:
        say_nothing_to_draw(ax)
        return
    shown = {line: style for line, style in styles.items() if (frame["line"] == line).any()}
    sns.lineplot(
        frame,
        x="step",
        y="value",
        hue="line",
        style="line",
        hue_order=list(shown),
        style_order=list(shown),
        palette={line: style.color for line, style in shown.items()},
        markers={line: style.marker for line, style in shown.items()},
        dashes=False,
        errorbar=spread_within(low, high, standard_error=standard_error),
        err_kws={"alpha": 0.16, "linewidth": 0},
        legend=False,
        ax=ax,
        markersize=4.5,
        markeredgewidth=0,
        markevery=marker_steps,
    )


def line_ends(frame: pd.DataFrame, styles: Mapping[str, Style], names: Mapping[str, str]) -> list[End]:
    """Where the means of the lines end, with their names: for :func:`pulab.figures.labels.label_ends`."""
    ends = []
    for line, style in styles.items():
        means = frame[frame["line"] == line].groupby("step")["value"].mean()
        if len(means):
            ends.append(End(float(means.index[-1]), float(means.iloc[-1]), names[line], style.color))
    return ends
