"""Section 2.5.6: area under the PR curve by contamination of P, and of U, the other one at 30%."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pulab.figures.panels import make_page, method_handles, published_handle, share_percent_axis
from pulab.figures.printed import draw_printed, printed_numbers
from pulab.figures.style import Look, looks
from pulib.statistics import mean_ci

#: Contamination at which the study's tables have the same set, in percent.
PRINTED_AT = 30


def draw(spec: Mapping[str, Any], tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration, tidy results, and printed numbers."""
    tidy = tidy[(tidy["dataset"] == spec["dataset"]) & (tidy["metric"] == "pr_auc") & (tidy["step"] == -1)]
    look_of = looks((method for method in spec["compare"] if (tidy["method"] == method).any()), spec)
    printed = printed_numbers(published, spec["published"])
    settings = {name: level for levels in spec["levels"].values() for name, level in levels.items()}
    n = tidy[tidy["setting"].isin(settings)]["repeat"].nunique()
    heading = f"synthetic, {n} repeats: mean" + (" and 95% interval" if n > 2 else "")
    titles = [f"{varied} varied" for varied in spec["levels"]] if n else []
    page = make_page(titles, heading=heading, row_height=2.8, extra=0.6, sharey=True)
    for ax, (varied, levels) in zip(page.axes, spec["levels"].items(), strict=False):
        draw_sweep(ax, tidy, levels, look_of)
        ax.set(xlabel=f"contamination of {varied} in %", ylabel="area under the PR curve in %")
        for k, (method, look) in enumerate(look_of.items()):
            if (spec["dataset"], method) in printed:
                place = PRINTED_AT + _dodge(k, len(look_of)) + 0.7
                draw_printed(ax, place, printed[spec["dataset"], method], look.color, low=0, high=100, ms=4)
    share_percent_axis(page.axes)
    handles = method_handles(look_of, spec["methods"])
    page.add_legend(handles + [published_handle("published, semi-supervised: 95% interval")] * bool(printed))
    return page.fig


def draw_sweep(ax: Axes, tidy: pd.DataFrame, levels: Mapping[str, float], look_of: Mapping[str, Look]) -> None:
    """Mean with its 95% interval, inside 0 to 100%, by level of contamination, a line per method beside the others.

    Parameters
    ----------
    levels : mapping of setting to contamination in percent
    """
    for k, (method, look) in enumerate(look_of.items()):
        of_method = tidy[(tidy["method"] == method) & tidy["setting"].isin(levels)]
        if of_method.empty:
            continue
        places = of_method["setting"].map(levels) + _dodge(k, len(look_of))
        sns.lineplot(
            x=places,
            y=100 * of_method["value"],
            errorbar=interval_within,
            err_style="bars",
            err_kws={"capsize": 2, "elinewidth": 0.8},
            color=look.color,
            marker=look.marker,
            markersize=4.5,
            markeredgewidth=0,
            ax=ax,
        )
    ax.set_xticks(sorted(set(levels.values())))


def interval_within(values: pd.Series) -> tuple[float, float]:
    """The mean's 95% interval, inside 0 to 100%; of one or two values the mean is all that can be said.

    >>> import pandas as pd
    >>> interval_within(pd.Series([99.0, 100.0, 98.0]))[1]
    100.0
    """
    if len(values) <= 2:
        return float(values.mean()), float(values.mean())
    interval = mean_ci(values.to_numpy())
    return max(0.0, float(interval.low)), min(100.0, float(interval.high))


def _dodge(k: int, n: int) -> float:
    return 1.6 * (k - (n - 1) / 2)
