"""Scores along a parameter, with their confidence intervals: the contamination sweeps of the RESVM chapter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pulib.plots._style import colors_of, markers_of
from pulib.statistics import mean_ci

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_sweep(ax: Axes, tidy: pd.DataFrame, levels: Mapping[str, float], methods: Mapping[str, str], metric: str) -> None:
    """Mean of a metric with its 95% interval, in percent, by level of contamination, one line per method.

    Parameters
    ----------
    levels : mapping of setting to contamination in percent
    methods : mapping of method to label
    """
    colors, markers = colors_of(list(methods)), markers_of(list(methods))
    own = tidy[(tidy["metric"] == metric) & (tidy["step"] == -1)]
    shift = np.linspace(-0.6, 0.6, len(methods))
    for k, (method, label) in enumerate(methods.items()):
        places, means, errors = [], [], []
        for setting, level in levels.items():
            values = 100 * own[(own["method"] == method) & (own["setting"] == setting)]["value"].to_numpy()
            if len(values) == 0:
                continue
            # of one or two repeats the mean is all that can be said
            half = mean_ci(values).high - values.mean() if len(values) > 2 else 0.0
            places.append(level + shift[k])
            means.append(values.mean())
            errors.append(half)
        if places:
            ax.errorbar(places, means, yerr=errors, color=colors[method], marker=markers[method], capsize=2, label=label)
    ax.set_xlim(min(levels.values()) - 3, max(levels.values()) + 3)
    ax.set_ylim(top=101)
    if not ax.containers:
        ax.text(0.5, 0.5, "not run", transform=ax.transAxes, ha="center", va="center")
    ax.set_ylabel("area under the PR curve (%)")
