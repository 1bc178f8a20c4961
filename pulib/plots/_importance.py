"""Figures of feature importances: bars, maps of pixels, and accuracy with the most important features only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pulib.plots._style import MARKERS, PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def choose_dataset(tidy: pd.DataFrame, names: Sequence[str], stand_ins: Mapping[str, str]) -> tuple[str, pd.DataFrame]:
    """The first of the data sets, or what stands in for it, that has results, and its rows."""
    candidates = [stand_ins.get(name, name) for name in names]
    known = set(tidy.loc[tidy["status"] == "ok", "dataset"])
    chosen = next((name for name in candidates if name in known), candidates[0])
    return chosen, tidy[tidy["dataset"] == chosen]


def series_by_repeat(tidy: pd.DataFrame, metric: str) -> pd.DataFrame:
    """One row per repeat and one column per step of a series in tidy results."""
    rows = tidy[(tidy["metric"] == metric) & (tidy["step"] >= 0)]
    return rows.pivot(index="repeat", columns="step", values="value")


def plot_importance_bars(
    ax: Axes, importances: pd.DataFrame, *, names: Sequence[str] | None = None, show: int = 20, color: str = PALETTE[0]
) -> None:
    """Horizontal bars of the most important features: mean, and standard deviation over repeats.

    Parameters
    ----------
    ax : Axes
    importances : DataFrame
        One row per repeat and one column per feature.
    names : sequence of str, optional
        Names of the features; their numbers where None.
    show : int
        How many features.
    """
    mean, spread = importances.mean(), importances.std(ddof=1).fillna(0.0)
    order = mean.sort_values(ascending=False, kind="stable").index[:show]
    places = np.arange(len(order))
    ax.barh(places, mean[order], xerr=spread[order], color=color, error_kw={"elinewidth": 0.8, "ecolor": "#444444"})
    ax.set_yticks(places, [names[j] if names else f"feature {j}" for j in order])
    ax.invert_yaxis()
    ax.grid(axis="y", visible=False)
    ax.set_xlabel("risk reduction")


def plot_importance_map(ax: Axes, importances: np.ndarray) -> None:
    """An importance per pixel as a square picture, lighter where it is greater (negative ones count as 0)."""
    side = round(np.sqrt(len(importances)))
    if side * side != len(importances):
        raise ValueError(f"{len(importances)} importances make no square picture")
    picture = np.clip(importances, 0.0, None).reshape(side, side)
    ax.imshow(picture, cmap="magma", vmin=0.0, vmax=max(picture.max(), np.finfo(float).tiny), interpolation="nearest")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.grid(visible=False)
    for spine in ax.spines.values():
        spine.set_visible(False)


def plot_accuracy_by_features(ax: Axes, curves: Mapping[str, pd.DataFrame]) -> None:
    """Accuracy over the number of features used, a line with a band of one standard deviation per ranking.

    Parameters
    ----------
    curves : mapping of label to DataFrame
        One row per repeat and one column per number of features; values in 0..1.
    """
    for (label, curve), color, marker in zip(curves.items(), PALETTE, MARKERS, strict=False):
        mean, spread = 100 * curve.mean(), 100 * curve.std(ddof=1).fillna(0.0)
        ax.plot(mean.index, mean, color=color, marker=marker, markersize=3, label=label)
        ax.fill_between(mean.index, mean - spread, mean + spread, color=color, alpha=0.2, linewidth=0)
    ax.set_xlabel("number of features")
    ax.set_ylabel("accuracy (%)")
    ax.legend(loc="lower right")
