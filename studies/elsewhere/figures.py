"""Figure of results published elsewhere."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from pulab.figures.panels import make_page
from pulab.figures.style import MUTED, styles
from pulab.tables import Paper, Results
from pulab.tables.sentences import Range, between
from pulab.tables.verdict import CLOSE, CLOSE_ENOUGH
from studies.elsewhere.tables import METHODS, SETS, table_dedpul


def figure_dedpul(results: Results, paper: Paper) -> Figure:
    """Draw a panel per method, with a line per data set and their mean."""
    cells = table_dedpul(results, paper).cells
    cells = cells[(cells["status"] == "ok") & cells["published"].notna() & (cells["stand_in"] == "")]
    cells = cells.assign(
        share=cells["setting"].str.removeprefix("positive_").astype(int), difference=cells["ours"] - cells["published"]
    )
    shown = {place.label: place.select["method"] for place in METHODS if (cells["column"] == place.label).any()}
    style_of = styles(shown.values(), results)
    page = make_page(
        list(shown), heading=_finding(cells), row_height=1.9, sharex=True, sharey=True,
        note=f"Mean accuracies over {between(Range.of(list(cells['n'])))} repeats minus published ones. Gray: one line for "
        f"each of {cells['dataset'].nunique()} data sets, with the name of the one furthest from zero; color: their mean. "
        f"Shaded: within {CLOSE_ENOUGH:g} and {CLOSE:g} points."
        if shown
        else "",
    )  # fmt: skip
    for ax, (label, method) in zip(page.axes, shown.items(), strict=True):
        own = cells[cells["column"] == label].pivot_table(index="share", columns="dataset", values="difference")
        for points, color in ((CLOSE, "#F2F2F2"), (CLOSE_ENOUGH, "#DDE9F2")):
            ax.axhspan(-points, points, color=color, linewidth=0, zorder=0)
        ax.plot(own.index, own, color=MUTED, marker=".", linewidth=0.8)
        ax.plot(own.index, own.mean(axis=1), color=style_of[method].color, marker=style_of[method].marker, linewidth=1.8)
        ax.axhline(0.0, color="#444444", linewidth=0.8)
        ax.margins(y=0.12)
        share, dataset = own.abs().stack().idxmax()
        value = own.loc[share, dataset]
        place = (-4, np.copysign(5, value))  # away from zero, and thus from the line
        ax.annotate(SETS[dataset], (share, value), place, textcoords="offset points", ha="right", va="center", fontsize=7)
        ax.set(xlabel="positives in U, %", ylabel="ours − published,\npoints", xticks=sorted(cells["share"].unique()))
    return page.fig


def _finding(cells: pd.DataFrame) -> str:
    if cells.empty:
        return ""
    near = (cells["difference"].abs() <= CLOSE).mean()
    worst = cells.loc[cells["difference"].abs().idxmax()]
    return (
        f"{near:.0%} of {len(cells)} accuracies are within {CLOSE:g} points of the published ones; {SETS[worst['dataset']]} "
        f"differs most, by up to {abs(worst['difference']):.0f} points"
    )
