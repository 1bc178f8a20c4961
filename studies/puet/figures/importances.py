"""Importances of the most important features, one panel per method."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from pulab.figures.panels import make_page, say_nothing_to_draw, title_of
from pulab.figures.series import choose_dataset, series_by_repeat
from pulab.figures.style import styles
from pulab.tables.inputs import Spec
from pulab.trials.artifacts import OPTIONAL, Artifact, Dataset, Method
from pulib.plots import plot_importances

#: Of the most important features, those that the title counts.
SHARED = 10


class Keys(Artifact):
    choose: list[Dataset]
    show: int
    panels: dict[str, Method]
    titles: dict[Dataset, str] = OPTIONAL
    feature_names: dict[Dataset, list[str]] = OPTIONAL


def draw(spec: Spec, tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration and tidy results."""
    dataset, tidy = choose_dataset(tidy, spec["choose"], spec["stand_ins"])
    tidy = tidy[tidy["setting"] == "standard"]
    style_of = styles(spec["panels"].values(), spec)
    all_of = {label: series_by_repeat(tidy[tidy["method"] == method], "importance") for label, method in spec["panels"].items()}
    page = make_page(
        list(spec["panels"]), heading=_finding(all_of, title_of(spec, dataset)), row_height=3.5, title_size=9, sharex=True,
        note="Bars: means over repeats; lines: one standard deviation.",
    )  # fmt: skip
    for ax, (label, method) in zip(page.axes, spec["panels"].items(), strict=True):
        importances = all_of[label]
        if len(importances):
            names = spec.get("feature_names", {}).get(dataset)
            plot_importances(importances, ax, names=names, show=spec["show"], color=style_of[method].color)
            ax.set_xlabel("risk reduction")
        else:
            say_nothing_to_draw(ax)
    return page.fig


def _finding(importances: Mapping[str, pd.DataFrame], title: str) -> str:
    """How many of the most important features the first two methods share."""
    best = [set(own.mean().nlargest(SHARED).index) for own in importances.values() if len(own)][:2]
    if len(best) < 2:
        return title
    first, second = list(importances)[:2]
    return f"{first} and {second} share {len(best[0] & best[1])} of their {SHARED} most important features on {title}"
