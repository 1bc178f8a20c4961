"""Regret by steps, beside its bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from pulib.plots._sensitivity import curve_summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_regret(ax: Axes, results: pd.DataFrame, suffix: str, *, label: str, color: str) -> bool:
    """Mean regret over repeats (solid, with its range) and the mean bound (dashed), by steps on a logarithmic axis.

    Parameters
    ----------
    ax : Axes
    results : DataFrame
        Tidy results of one data set and method, with the series ``regret_<suffix>`` and ``bound_<suffix>``.
    suffix : str
    label, color : str

    Returns
    -------
    bool
        Whether there was anything to draw.
    """
    regret, bound = (curve_summary(results, f"{name}_{suffix}") for name in ("regret", "bound"))
    if regret.empty:
        return False
    own = results[results["metric"] == f"regret_{suffix}"].groupby("step")["value"]
    ax.plot(regret["step"], regret["mean"], color=color, label=label)
    ax.fill_between(regret["step"], own.min().to_numpy(), own.max().to_numpy(), color=color, alpha=0.15, linewidth=0)
    ax.plot(bound["step"], bound["mean"], color=color, linestyle="--", linewidth=1.0)
    ax.set_xscale("log")
    ax.set_yscale("symlog", linthresh=1.0)
    return True
