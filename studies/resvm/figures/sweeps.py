"""Section 2.5.6: area under the PR curve by contamination of P, and of U, with the other one at 30%."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from pulab.figures.labels import label_ends
from pulab.figures.lines import draw_lines
from pulab.figures.panels import make_page, share_percent_axis
from pulab.figures.printed import draw_printed, printed_numbers
from pulab.figures.style import styles
from pulab.tables import Paper, Results
from pulib.statistics import mean_ci
from studies.resvm.places import METHODS, NAMES

#: Contamination at which the study's tables have the same data, in percent.
PRINTED_AT = 30
#: Settings and percentages, by what is contaminated.
LEVELS = {
    part: {f"sweep_{part.lower()}_{p:02}" if p != PRINTED_AT else "sweep_30": p for p in range(0, 70, 10)}
    for part in ("P", "U")
}


def draw_sweeps(results: Results, paper: Paper) -> Figure:
    """Draw a panel for P and one for U."""
    tidy = results.tidy
    tidy = tidy[(tidy["dataset"] == "circle_noise") & (tidy["metric"] == "pr_auc") & (tidy["step"] == -1)]
    style_of = styles((method for method in METHODS if (tidy["method"] == method).any()), results)
    printed = printed_numbers(paper, "2.4", {"circle_noise": "synthetic"}, dict(zip(METHODS, NAMES, strict=True)))
    settings = {name: level for levels in LEVELS.values() for name, level in levels.items()}
    n = tidy[tidy["setting"].isin(settings)]["repeat"].nunique()
    note = f"Means of {n} repeats" + (", with their 95% intervals (Student's t) as bands" if n > 2 else "") + "."
    if printed:
        note += " Diamonds: published 95% intervals of the semi-supervised setting, whose P and U are both contaminated by 30%."
    titles = [f"{varied} contaminated" for varied in LEVELS] if n else []
    heading = _finding(tidy, results, list(style_of)) if n else ""
    page = make_page(titles, heading=heading, note=note, row_height=3.0, extra=0.3, title_size=9, sharey=True)
    for ax, (varied, levels) in zip(page.axes, LEVELS.items(), strict=False):
        varied_rows = tidy[tidy["setting"].isin(levels)]
        steps = varied_rows["setting"].map(levels).astype(float)
        frame = varied_rows.assign(line=varied_rows["method"], step=steps, value=100 * varied_rows["value"])
        ends = draw_lines(ax, frame, style_of, interval_within)
        ax.set_xticks(sorted(set(levels.values())))
        ax.set(xlabel=f"contamination of {varied} in %", ylabel="area under the PR curve in %")
        for method, style in style_of.items():
            if ("circle_noise", method) in printed:
                draw_printed(ax, PRINTED_AT, printed["circle_noise", method], style.color, low=0, high=100, ms=4)
        share_percent_axis(page.axes)
        label_ends(ax, ends, results.labels, height=2.4)
    return page.fig


def _finding(tidy: pd.DataFrame, results: Results, methods: Sequence[str]) -> str:
    """State which method has the largest area where most labels of P are wrong, and which the smallest."""
    varied, levels = next(iter(LEVELS.items()))
    worst = max(levels, key=levels.__getitem__)
    means = (
        100 * tidy[(tidy["setting"] == worst) & tidy["method"].isin(methods)].groupby("method", observed=True)["value"].mean()
    )
    if means.empty:
        return ""
    best, last = means.idxmax(), means.idxmin()
    return (
        f"With {levels[worst]}% of {varied} contaminated, {results.labels[best]} has an area of {means[best]:.0f}%, "
        f"{results.labels[last]} {means[last]:.0f}% (synthetic set)"
    )


def interval_within(values: pd.Series) -> tuple[float, float]:
    """Return the mean's 95% interval, within 0 to 100%; only the mean for one or two values.

    >>> interval_within(pd.Series([99.0, 100.0, 98.0]))[1]
    100.0
    """
    if len(values) <= 2:
        return float(values.mean()), float(values.mean())
    interval = mean_ci(values.to_numpy())
    return max(0.0, float(interval.low)), min(100.0, float(interval.high))
