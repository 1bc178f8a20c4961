"""Regret by steps: its shape, and how far it stays below its bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from pulib.plots._sensitivity import aligned, curve_summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_regret_growth(ax: Axes, results: pd.DataFrame, suffix: str, *, label: str, color: str) -> bool:
    """Regret relative to that at the stream's end, by steps on a logarithmic axis: growth as log T is a straight line.

    Parameters
    ----------
    ax : Axes
    results : DataFrame
        Tidy results of one data set and method, with the series ``regret_<suffix>`` and ``bound_<suffix>``.
    suffix : str
    label, color : str
        The label gets the regret at the end and its bound.

    Returns
    -------
    bool
        Whether there was anything to draw.
    """
    regret, bound = (curve_summary(results, f"{name}_{suffix}") for name in ("regret", "bound"))
    if regret.empty:
        return False
    end = regret["mean"].iloc[-1]
    text = f"{label}: {end:.3g} (bound {bound['mean'].iloc[-1]:.3g})"
    ax.plot(regret["step"], regret["mean"] / end, color=color, label=text, marker="o", markersize=2.5)
    low, high = (regret["mean"] - regret["sd"]) / end, (regret["mean"] + regret["sd"]) / end
    ax.fill_between(regret["step"], low, high, color=color, alpha=0.15, linewidth=0)
    ax.set_xscale("log")
    ax.set_ylim(0, 1.6)
    return True


def plot_regret_share(ax: Axes, results: pd.DataFrame, suffix: str, *, label: str, color: str) -> bool:
    """Regret over its bound, the largest over repeats, by steps on a logarithmic axis; the theorem says below 1."""
    regret, bound = (
        aligned(results, f"{name}_{suffix}").set_index(["repeat", "step"])["value"] for name in ("regret", "bound")
    )
    if regret.empty:
        return False
    share = (regret / bound).groupby("step").max()
    ax.plot(share.index, share, color=color, label=label, marker="o", markersize=2.5)
    ax.axhline(1.0, color="#444444", linestyle="--", linewidth=1.0)
    ax.set_xscale("log")
    ax.set_ylim(0, 1.05)
    return True
