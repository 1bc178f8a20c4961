"""How often boosting chose its features, from the most to the least frequent one: a panel per data set, a line per method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from pulab.figures.panels import make_page, missing_note, panel_sets
from pulab.figures.style import styles
from pulab.tables.inputs import Spec
from pulab.trials.artifacts import OPTIONAL, Artifact, Dataset, Method


class Keys(Artifact):
    show_methods: list[Method]
    labels: dict[Method, str]
    show_datasets: list[Dataset]
    titles: dict[Dataset, str] = OPTIONAL


def draw(spec: Spec, tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration and tidy results."""
    style_of = styles(spec["show_methods"], spec)
    tidy = tidy[tidy["setting"] == "published"]
    counted = tidy[tidy["metric"] == "feature_counts"]
    counts = {key: frequencies(own) for key, own in counted.groupby(["dataset", "method"], observed=True)}
    sets = panel_sets(spec, counted["dataset"])
    sets = {name: title for name, title in sets.items() if all((name, method) in counts for method in style_of)}
    n = counted["repeat"].nunique()
    note = f"Mean of {n} repeat{'s' * (n != 1)}; both axes logarithmic. Numbers next to the names: features ever chosen."
    note = " ".join(filter(None, [note, missing_note(spec, tidy, style_of)]))
    page = make_page(
        list(sets.values()), note=note, heading=_finding(counts, sets, spec), row_height=1.9, title_size=9,
        sharex=True, sharey=True,
    )  # fmt: skip
    for ax, name in zip(page.axes, sets, strict=True):
        for k, (method, style) in enumerate(style_of.items()):
            chosen = counts[name, method]
            places = np.arange(1, len(chosen) + 1)
            every = 0.15 if len(chosen) > 8 else None
            marks: dict[str, Any] = {"marker": style.marker, "markevery": every, "markersize": 4, "markeredgewidth": 0}
            ax.plot(places, chosen, color=style.color, **marks)
            text = f"{spec['labels'][method]}: {len(chosen)}"
            ax.text(0.98, 0.96 - 0.1 * k, text, transform=ax.transAxes, ha="right", va="top", fontsize=7, color=style.color)
        ax.set(xscale="log", yscale="log", xlabel="features, by how often they are chosen", ylabel="times chosen")
    return page.fig


def frequencies(results: pd.DataFrame) -> np.ndarray:
    """Times chosen, the mean over repeats, from the most frequent feature of each repeat on, as far as any is chosen."""
    by_repeat = [np.sort(own["value"].to_numpy())[::-1] for _, own in results.groupby("repeat")]
    mean = np.mean(by_repeat, axis=0)
    return mean[mean > 0]


def _finding(counts: Mapping[tuple[str, str], np.ndarray], sets: Mapping[str, str], spec: Spec) -> str:
    """On how many sets the first method spreads over more features than the second."""
    if not sets:
        return ""
    first, second = spec["show_methods"][:2]
    more = sum(_effective(counts[name, first]) > _effective(counts[name, second]) for name in sets)
    return (
        f"With {spec['labels'][first]}, boosting spreads over more features than with {spec['labels'][second]} on {more} of "
        f"{len(sets)} sets"
    )


def _effective(chosen: np.ndarray) -> float:
    """The number of features that would give the same concentration if all were chosen equally often."""
    return float(chosen.sum() ** 2 / (chosen**2).sum()) if len(chosen) else 0.0
