"""Figures about an expanding positive class: who turns positive when, and the AUC by λ and by p."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.image import AxesImage

from pulib.plots._sensitivity import curve_summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Marks as in the paper's figure 1: code, label, marker and color.
KINDS = (
    (0, "negative at both times", "o", "#000000"),
    (2, "positive at test time only", "*", "#D55E00"),
    (1, "positive at both times", "+", "#0072B2"),
)


def series_of(results: pd.DataFrame, metric: str, repeat: int | None = None) -> np.ndarray:
    """A series of one trial, in the order of its steps; empty where there is none."""
    found = results[(results["metric"] == metric) & (results["step"] >= 0)]
    if len(found):
        found = found[found["repeat"] == (found["repeat"].min() if repeat is None else repeat)]
    return found.sort_values("step")["value"].to_numpy()


def plot_turning(ax: Axes, results: pd.DataFrame) -> bool:
    """Rows on two principal components, marked by when they turn positive; True where there was anything to draw."""
    x, y, codes = (series_of(results, name) for name in ("pc1", "pc2", "code"))
    for code, label, marker, color in KINDS:
        at = codes == code
        faces: dict[str, Any] = {"facecolors": "none", "edgecolors": color} if marker == "o" else {"c": color}
        ax.scatter(x[at], y[at], marker=marker, s=26 if marker == "*" else 18, linewidths=0.6, label=label, **faces)
    ax.set(xlabel="first component", ylabel="second component")
    return len(x) > 0


def plot_auc_by_p(ax: Axes, results: pd.DataFrame, metric: str, *, label: str, color: str, marker: str) -> bool:
    """Mean AUC by p, from p = 1 on the left to p = 0 on the right; True where there was anything to draw."""
    summary = curve_summary(results, metric).sort_values("step", ascending=False)
    if summary.empty:
        return False
    ax.plot(np.arange(len(summary)), summary["mean"], label=label, color=color, marker=marker)
    ax.set_xticks(np.arange(len(summary)), [f"{step / 100:g}" for step in summary["step"]])
    ax.set_xlabel("p")
    return True


def plot_level(ax: Axes, results: pd.DataFrame, metric: str, *, label: str, color: str) -> bool:
    """The mean of a method that has no p, as a horizontal line; True where there was anything to draw."""
    values = results.loc[(results["metric"] == metric) & (results["step"] == -1), "value"]
    if values.empty:
        return False
    ax.axhline(values.mean(), label=label, color=color, linestyle="--", linewidth=1.1)
    return True


def auc_grid(results: pd.DataFrame, metrics: Mapping[float, str]) -> pd.DataFrame:
    """Mean AUC with a row per λ and a column per p, both ascending.

    Parameters
    ----------
    results : DataFrame
        Tidy results of one data set, setting and method.
    metrics : mapping of λ to the name of the series by p, whose steps are percents
    """
    columns = {}
    for weight, metric in sorted(metrics.items()):
        summary = curve_summary(results, metric)
        columns[weight] = pd.Series(summary["mean"].to_numpy(), index=summary["step"].to_numpy() / 100)
    return pd.DataFrame(columns).T.sort_index(axis=1)


def plot_auc_grid(ax: Axes, grid: pd.DataFrame, *, limits: Sequence[float] | None = None) -> AxesImage | None:
    """A heat map of :func:`auc_grid` with its numbers in it; returns the image, or None where there is nothing to draw."""
    if grid.empty or not np.isfinite(grid.to_numpy()).any():
        return None
    low, high = (np.nanmin(grid), np.nanmax(grid)) if limits is None else limits
    image = ax.imshow(grid, origin="lower", aspect="auto", cmap="viridis", vmin=low, vmax=high)
    for i, row in enumerate(grid.to_numpy()):
        for j, value in enumerate(row):
            dark = value < 0.5 * (low + high)
            text = f"{value:.2f}".removeprefix("0")
            ax.text(j, i, text, ha="center", va="center", fontsize=7, color="white" if dark else "black")
    ax.set_xticks(np.arange(grid.shape[1]), [f"{p:g}" for p in grid.columns])
    ax.set_yticks(np.arange(grid.shape[0]), [f"{weight:g}" for weight in grid.index])
    ax.set(xlabel="p", ylabel="λ")
    ax.grid(False)
    return image
