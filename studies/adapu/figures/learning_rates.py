"""Test accuracy of Ada-PU by round and learning rate β: a heat map per data set, a row per β."""

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
from pulab.tables.inputs import Spec
from pulab.tables.sentences import Range, between
from pulab.trials.artifacts import OPTIONAL, Artifact, Dataset, Method, Published


class Keys(Artifact):
    learning_rates: list[float]
    show_method: Method
    show_datasets: list[Dataset]
    titles: dict[Dataset, str] = OPTIONAL
    published: Published = OPTIONAL
    note: str = OPTIONAL


def draw(spec: Spec, tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration, tidy results, and printed numbers."""
    tidy = tidy[tidy["setting"] == "learning_rates"]
    sets = panel_sets(spec, tidy.loc[tidy["status"] == "ok", "dataset"])
    printed = printed_numbers(published, spec.get("published"))
    grids = {name: rate_grid(tidy[tidy["dataset"] == name], spec["learning_rates"]) for name in sets}
    titles = []
    for name, title in sets.items():
        number = printed.get((name, spec["show_method"]))
        titles.append(f"{title}; published {number.mean:.1f}" if number else title)
    note = f"Means of {tidy['repeat'].nunique()} repeats. Circles: a row's best round. Right of each row: its last accuracy. "
    note += (spec.get("note", "") + " " if printed else "") + missing_note(spec, tidy, [spec["show_method"]])
    page = make_page(titles, note=note, heading=_finding(grids), row_height=2.2, title_size=8.5)
    numbers = np.concatenate([grid.to_numpy().ravel() for grid in grids.values()] or [np.zeros(1)])
    limits = [np.nanmin(numbers), np.nanmax(numbers)]
    for ax, grid in zip(page.axes, grids.values(), strict=True):
        draw_rates(ax, grid, limits)
    if grids:
        bar = page.body.colorbar(page.axes[0].collections[0], ax=page.axes + page.spare, shrink=0.6)
        bar.set_label("test accuracy in %")
    return page.fig


def _finding(grids: Mapping[str, pd.DataFrame]) -> str:
    """Between which rates the best one after the last round lies, and how far the greatest rate is behind it."""
    if not grids:
        return ""
    ends = [grid.iloc[:, -1] for grid in grids.values()]
    greatest = ends[0].index[0]
    best = Range.of([float(end.idxmax()) for end in ends])
    lost = between(Range.of([end.max() - end[greatest] for end in ends]))
    rates = f"lies between {best.low:g} and {best.high:g}" if best.low < best.high else f"is {best.low:g}"
    return f"After the last round of Ada-PU, the best β {rates}; β = {greatest} is {lost} points behind it"


def rate_grid(results: pd.DataFrame, rates: list[float]) -> pd.DataFrame:
    """Mean accuracy in percent with a row per β, the greatest on top, and a column per round."""
    rows = {f"{rate:g}": mean_by_step(results, f"accuracy_by_round_{rate:g}") for rate in sorted(rates, reverse=True)}
    return 100 * pd.DataFrame(rows).T


def draw_rates(ax: Axes, grid: pd.DataFrame, limits: list[float]) -> None:
    """The heat map, each row's best round marked, its last accuracy to its right."""
    sns.heatmap(grid, ax=ax, vmin=limits[0], vmax=limits[1], cmap="viridis", cbar=False, rasterized=True)
    rounds = grid.columns.to_numpy()
    shown = [k for k, number in enumerate(rounds) if number in (1, 25, 50, 75, 100)]
    ax.set_xticks([k + 0.5 for k in shown], [str(rounds[k]) for k in shown], rotation=0)
    ax.tick_params(axis="y", rotation=0, length=0)
    ax.set(xlabel="rounds", ylabel="β")
    for row, values in enumerate(grid.to_numpy()):
        ax.plot(np.nanargmax(values) + 0.5, row + 0.5, marker="o", mfc="white", mec="black", markersize=3.5, clip_on=False)
        ax.text(len(rounds) + 1.5, row + 0.5, f"{values[-1]:.1f}", fontsize=6.5, va="center")
