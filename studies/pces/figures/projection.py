"""Figure 1: all rows of each data set on its first two principal components, marked by when they turn positive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pulab.figures.panels import make_page, missing_note, panel_sets
from pulab.figures.series import series_of
from pulab.figures.style import BLACK, BLUE, VERMILION
from pulab.tables import Results
from studies.pces.figures.places import TITLES
from studies.pces.study import REAL

#: Code, label, marker and color, as in the paper's figure 1.
KINDS = (
    (0, "negative at both times", "o", BLACK),
    (2, "positive at test time only", "*", VERMILION),
    (1, "positive at both times", "P", BLUE),
)


def draw_projections(results: Results) -> Figure:
    """Draw a panel per data set."""
    tidy = results.tidy[results.tidy["setting"] == "projection"]
    sets = panel_sets(results, REAL, tidy.loc[tidy["metric"] == "code", "dataset"], TITLES)
    codes = {name: series_of(tidy[tidy["dataset"] == name], "code") for name in sets}
    shares = {title: 100 * (codes[name] == 1).sum() / max(1, (codes[name] > 0).sum()) for name, title in sets.items()}
    note = (
        "Principal components of the standardized features. Positives: rows that are positive at test time; those from the "
        f"start are positive at training time, too. {missing_note(results, tidy, REAL, tidy['method'].unique(), TITLES)}"
    )
    page = make_page(
        [f"{title} ({len(codes[name]):,} rows): {shares[title]:.0f}% from the start" for name, title in sets.items()],
        note=note, heading=_finding(shares), row_height=2.5, title_size=8.5,
    )  # fmt: skip
    for ax, name in zip(page.axes, sets, strict=True):
        draw_turning(ax, tidy[tidy["dataset"] == name])
    if page.axes:
        page.add_legend(page.axes[0].get_legend_handles_labels()[0])
    return page.fig


def _finding(shares: Mapping[str, float]) -> str:
    """State on which sets the fewest and the most of the positives are there from the start."""
    if not shares:
        return ""
    low, high = (f"{shares[title]:.0f}% ({title})" for title in (pick(shares, key=shares.__getitem__) for pick in (min, max)))
    return f"From {low} to {high} of the positives are there from the start"


def draw_turning(ax: Axes, tidy: pd.DataFrame) -> None:
    """Draw rows on two principal components, marked by when they turn positive."""
    x, y, codes = (series_of(tidy, name) for name in ("pc1", "pc2", "code"))
    for code, label, marker, color in KINDS:
        at = codes == code
        style: dict[str, Any] = {"s": 42 if marker == "*" else 20, "c": color, "marker": marker, "alpha": 0.6}
        ax.scatter(x[at], y[at], label=label, edgecolors="white", linewidths=0.3, rasterized=True, **style)
    ax.set(xlabel="first component", ylabel="second component")
