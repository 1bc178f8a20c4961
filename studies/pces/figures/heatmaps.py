"""Figures 4 and 5: the AUC of SGBDota with one preference by λ and p."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pulab.figures.panels import make_page, missing_note, panel_sets
from pulab.figures.printed import printed_numbers
from pulab.figures.series import mean_by_step
from pulab.tables import Paper, Results
from studies.pces.figures.places import COLUMNS, ROWS, TITLES, splits_of
from studies.pces.study import REAL

PREFIX = "auc_by_p_percent_lambda_"
#: Methods whose figures share a color scale.
COMPARED = ("sgbdota_2_pruned", "sgbdota_3_pruned")


def draw_heatmap(results: Results, paper: Paper, method: str) -> Figure:
    """Draw the figure of one method, with a heat map per data set."""
    tidy = results.tidy
    tidy = tidy[tidy["setting"].isin(["expansion", "weights"]) & tidy["method"].isin(COMPARED)]
    sets = panel_sets(results, REAL, tidy.loc[tidy["metric"].str.startswith(PREFIX), "dataset"], TITLES)
    grids = {key: auc_grid(own) for key, own in tidy[tidy["dataset"].isin(sets)].groupby(["dataset", "method"])}
    # one scale for all panels of the compared figures, and no color finer than the numbers
    numbers = np.concatenate([grid.to_numpy().ravel() for grid in grids.values()] or [np.zeros(1)])
    limits = np.floor(20 * np.nanmin(numbers)) / 20, np.ceil(20 * np.nanmax(numbers)) / 20
    printed = printed_numbers(paper, "2", ROWS, COLUMNS)
    titles = []
    for name, title in sets.items():
        number = printed.get((name, method))
        titles.append(f"{title}; published at λ = 1: {number.mean:.3f}".replace(" 0.", " .") if number else title)
    own = {title: grids[name, method] for name, title in sets.items() if (name, method) in grids}
    note = " ".join(
        filter(
            None,
            [
                f"AUC: mean over {splits_of(tidy[tidy['dataset'].isin(sets)])}, one color scale for all sets.",
                missing_note(results, tidy, REAL, [method], TITLES),
            ],
        )
    )
    heading = _finding(results.labels[method], own)
    page = make_page(titles, note=note, heading=heading, row_height=2.35, title_size=8.5)
    for ax, name in zip(page.axes, sets, strict=True):
        draw_grid(ax, grids[name, method], limits)
    if sets:
        image = page.axes[0].collections[0]
        page.body.colorbar(image, ax=page.axes + page.spare, shrink=0.6, label="AUC, mean over the splits")
    return page.fig


def _finding(name: str, grids: Mapping[str, pd.DataFrame]) -> str:
    """State how much λ and p matter where they matter least, and where they matter most."""
    spans = {title: np.nanmax(grid) - np.nanmin(grid) for title, grid in grids.items()}
    if len(spans) < 2:
        return name
    least, most = (f"{spans[title]:.2f} ({title})" for title in (pick(spans, key=spans.__getitem__) for pick in (min, max)))
    return f"{name}: λ and p move the AUC by {least} to {most}"


def auc_grid(tidy: pd.DataFrame) -> pd.DataFrame:
    """Return mean AUC to two decimals, with a row per λ, the largest on top, and a column per p, ascending.

    Parameters
    ----------
    tidy : DataFrame
        Tidy results of one data set and method, with a series by p, in percent, for each λ.
    """
    metrics = {float(name.removeprefix(PREFIX)): name for name in tidy["metric"].unique() if name.startswith(PREFIX)}
    rows = {weight: mean_by_step(tidy, metric) for weight, metric in sorted(metrics.items(), reverse=True)}
    grid = pd.DataFrame(rows).T.sort_index(axis=1)
    return grid.set_axis(grid.columns / 100, axis=1).round(2)


def draw_grid(ax: Axes, grid: pd.DataFrame, limits: tuple[float, float]) -> None:
    """Draw a heat map with its numbers."""
    texts = grid.map(lambda value: f"{value:.2f}".removeprefix("0") if np.isfinite(value) else "")
    sns.heatmap(
        grid, ax=ax, vmin=limits[0], vmax=limits[1], cmap="viridis", cbar=False, annot=texts, fmt="", annot_kws={"fontsize": 7},
        xticklabels=[f"{p:g}" for p in grid.columns], yticklabels=[f"{weight:g}" for weight in grid.index], rasterized=True,
    )  # fmt: skip
    ax.tick_params(axis="both", rotation=0, length=0)
    ax.set(xlabel="p", ylabel="λ")
