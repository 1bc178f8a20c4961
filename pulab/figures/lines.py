"""Means with their spread: lines by step with a band."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from pulab.figures.labels import End
from pulab.figures.panels import draw_empty_panel
from pulab.figures.series import aligned
from pulab.figures.style import Style

#: Maps the values of all repeats to the ends of a band or bar.
Interval = Callable[[pd.Series], tuple[float, float]]


def curves_frame(results: pd.DataFrame, methods: Mapping[str, str], metric: str, scale: float = 1.0) -> pd.DataFrame:
    """Return the series of several methods as a long frame: ``line, repeat, step, value``, with values times ``scale``."""
    frames = [aligned(results[results["method"] == method], metric).assign(line=line) for line, method in methods.items()]
    frame = pd.concat(frames, ignore_index=True)
    return frame.assign(value=scale * frame["value"])


def draw_lines(
    ax: Axes, frame: pd.DataFrame, styles: Mapping[str, Style], interval: Interval, *, marker_steps: int = 1
) -> list[End]:
    """Draw means over repeats by step with an interval as a band, or a note that there are none; return the lines' ends.

    ``frame`` has the columns ``line``, ``step`` and ``value``; lines without values are left out.  For ``interval``, see
    :func:`pulab.figures.series.spread_within`.  There is a marker at every ``marker_steps``-th step.
    """
    ends = []
    for line, style in styles.items():
        by_step = frame[frame["line"] == line].groupby("step")["value"]
        if not len(by_step):
            continue
        means, spans = by_step.mean(), pd.DataFrame([interval(values) for _, values in by_step])
        ax.fill_between(means.index, spans[0], spans[1], color=style.color, alpha=0.16, linewidth=0)
        marks: dict[str, Any] = {"marker": style.marker, "markevery": marker_steps, "markersize": 4.5, "markeredgewidth": 0}
        ax.plot(means.index, means, color=style.color, **marks)
        ends.append(End(float(means.index[-1]), float(means.iloc[-1]), line, style.color))
    if not ends:
        draw_empty_panel(ax)
    return ends
