"""What the level field's figures share: rows of means with intervals, and names and counts in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pulab.figures.labels import quoted
from pulab.figures.style import INK, MUTED
from pulab.tables.sentences import sentence_case
from studies.levelfield.field import Field, Ranking, over_tasks


def draw_intervals(
    ax: Axes, found: pd.DataFrame, *, color: str = INK, marker: str = "o", hollow: Sequence[bool] = (), shift: float = 0.0
) -> None:
    """Means with their intervals, one below the other.

    Parameters
    ----------
    found : DataFrame
        With ``mean, low, high``, a row per place, missing where there is nothing.
    color, marker : str
    hollow : sequence of bool
        Places whose mark is not filled.
    shift : float
        Downwards, in rows, for what stands beside others.
    """
    for k, (mean, low, high) in enumerate(found[["mean", "low", "high"]].to_numpy(dtype=float)):
        if np.isnan(mean):
            continue
        if not np.isnan(low):
            ax.plot([low, high], [k + shift] * 2, color=color, linewidth=1.1, solid_capstyle="butt", zorder=2)
        face = "white" if len(hollow) and hollow[k] else color
        ax.plot([mean], [k + shift], color=color, mfc=face, marker=marker, markersize=4.5, linestyle="none", zorder=3)


def name_rows(ax: Axes, names: Sequence[str], *, zero: bool = True) -> None:
    """Names at the places of :func:`draw_intervals`, from the top; with a line at zero where values are differences."""
    ax.set_yticks(range(len(names)), list(names))
    ax.set_ylim(len(names) - 0.4, -0.6)
    if zero:
        ax.axvline(0.0, color="#444444", linewidth=0.8, zorder=1)
    ax.grid(axis="y", visible=False)


def draw_means_among_learners(ax: Axes, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """A row per table (tasks by learners): the mean over learners with its interval, above it each learner's own mean.

    Returns the means over learners, a row per table.
    """
    found = pd.DataFrame(
        {name: over_tasks(table.mean(axis=1).rename("mean").to_frame()).iloc[0] for name, table in tables.items()}
    ).T
    for k, table in enumerate(tables.values()):
        each = 100 * table.mean()
        ax.plot(each, np.full(len(each), k - 0.2), linestyle="none", marker="|", markersize=6, color=MUTED, zorder=1)
    draw_intervals(ax, found, shift=0.12)
    name_rows(ax, list(tables))
    return found


def leave_room_for_names(fig: Figure) -> None:
    """Room at the left edge: long names come out wider at another resolution than the one that the page is laid out in."""
    fig.set_layout_engine("constrained", rect=(0.015, 0, 0.985, 1))


def best_ranked(field: Field, rankings: Sequence[Ranking]) -> str:
    """Who has the best mean rank most often, as a title."""
    leader, times = Counter(ranking.order[0] for ranking in rankings if ranking.there).most_common(1)[0]
    return f"{sentence_case(quoted(field.label(leader)))} has the best mean rank in {times} of {len(rankings)} rankings"
