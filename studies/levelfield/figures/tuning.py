"""What tuning without negatives gains over defaults, by criterion: the mean over learners, among them each learner."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from pulab.figures.panels import make_page
from pulab.tables import Results
from studies.levelfield.drawing import draw_means_among_learners
from studies.levelfield.field import METRICS
from studies.levelfield.levels import MEASURES
from studies.levelfield.tables.tuning import ALL, gains_and_losses, tuned_field, tuned_scores

#: The criterion that sees true labels.
ORACLE = "true labels"


def draw_tuning(results: Results) -> Figure:
    """A panel per metric, a row per criterion."""
    gains: dict[str, dict[str, pd.DataFrame]] = {}
    for metric in MEASURES:
        field = tuned_field(results, metric)
        tuned = tuned_scores(field, metric)
        tables = {name.partition(", ")[2]: table for name, table in gains_and_losses(tuned).items() if name.startswith("gain")}
        tables = {name: table[field.ranked(table.drop(columns=ALL).columns)] for name, table in tables.items()}
        if tables:
            gains[metric] = {ORACLE if name == "oracle" else name: table for name, table in tables.items()}
    first = next(iter(gains.values()), {})
    sizes = next(iter(first.values()), pd.DataFrame()).shape
    note = (
        f"Points gained over defaults by tuning on each criterion (learners' grids are small). Circles: means over {sizes[1]} "
        f"learners and {sizes[0]} tasks with 95% bootstrap intervals; ticks above them: each learner's mean. True labels, "
        "of the same held-out rows, are shown for comparison."
    )
    page = make_page(
        [METRICS[metric] for metric in gains], note=note if gains else "", heading=_finding(gains), title_size=9,
        row_height=0.9 + 0.32 * max(len(first), 2), sharex=True, sharey=True,
    )  # fmt: skip
    for k, (ax, tables) in enumerate(zip(page.axes, gains.values(), strict=True)):
        draw_means_among_learners(ax, tables)
        ax.tick_params(labelleft=k == 0)
        ax.set_xlabel("points gained")
    return page.fig


def _finding(gains: Mapping[str, Mapping[str, pd.DataFrame]]) -> str:
    """The best criterion by the first metric, beside the bound."""
    if not gains:
        return ""
    metric, tables = next(iter(gains.items()))
    means = {name: 100 * table.mean(axis=1).mean() for name, table in tables.items()}
    bound = means.pop(ORACLE)
    best = max(means, key=means.__getitem__)
    words = "gains" if means[best] >= 0 else "loses"
    return (
        f"Tuning by {best} {words} {abs(means[best]):.1f} points of {METRICS[metric]} on average; by true labels, {bound:.1f}"
    ).replace("-", "−")
