"""How often each feature was chosen, with random thresholds and with all of them: a column per data set."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.ticker import MaxNLocator

from pulab.figures.panels import make_page, missing_note, panel_sets
from pulab.figures.style import looks


def draw(spec: Mapping[str, Any], tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration and tidy results."""
    look_of = looks(spec["show_methods"], spec)
    tidy = tidy[tidy["setting"] == "published"]
    counted = tidy[(tidy["repeat"] == 0) & (tidy["metric"] == "feature_counts")]
    counts = {key: own.sort_values("step")["value"].to_numpy() for key, own in counted.groupby(["dataset", "method"])}
    sets = panel_sets(spec, counted["dataset"])
    sets = {name: title for name, title in sets.items() if all((name, method) in counts for method in look_of)}
    panels = [(name, method) for method in look_of for name in sets]
    titles = [f"{sets[name]}\n{spec['labels'][method]}" for name, method in panels]
    shape = (len(look_of), max(1, len(sets)))
    page = make_page(titles, note=missing_note(spec, tidy, look_of), shape=shape, row_height=1.9, title_size=7.5)
    for ax, (name, method) in zip(page.axes, panels, strict=True):
        most = max(shown_counts(counts[name, other]).max() for other in look_of)
        image = draw_counts(ax, counts[name, method], color=look_of[method].color, most=most)
        chosen = int((counts[name, method] > 0).sum())
        ax.set_title(f"{ax.get_title(loc='left')}\n{chosen} feature{'s' * (chosen != 1)}", loc="left", fontsize=7.5)
        if image is not None:
            bar = page.body.colorbar(image, ax=ax, shrink=0.8, ticks=MaxNLocator(integer=True, nbins=5))
            bar.set_label("times chosen", fontsize=8)
    return page.fig


def image_shape(n_features: int) -> tuple[int, int, int] | None:
    """Channels, height and width of square images of one or three channels; None for anything else.

    >>> image_shape(3072), image_shape(784), image_shape(30)
    ((3, 32, 32), (1, 28, 28), None)
    """
    for channels in (1, 3):
        side = math.isqrt(n_features // channels)
        if side >= 8 and channels * side * side == n_features:
            return channels, side, side
    return None


def shown_counts(counts: np.ndarray) -> np.ndarray:
    """Counts as they are shown: channels of images added up."""
    counts = np.asarray(counts, dtype=float)
    shape = image_shape(len(counts))
    return counts if shape is None else counts.reshape(shape).sum(axis=0)


def draw_counts(ax: Axes, counts: np.ndarray, *, color: str, most: float) -> AxesImage | None:
    """At their place for images, whose features are in the order channel, row, column; as bars for tables.

    Returns the image, for a color bar; or None where bars were drawn. ``most`` is the greatest count of the scale.
    """
    shown = shown_counts(counts)
    ax.grid(visible=False)
    if shown.ndim == 1:
        ax.bar(np.arange(len(shown)), shown, color=color, width=0.9)
        ax.set(xlabel="feature", ylabel="times chosen", ylim=(0, 1.05 * most))
        ax.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
        return None
    ax.set(xticks=[], yticks=[])
    return ax.imshow(shown, vmin=0, vmax=most, interpolation="nearest", cmap="magma")
