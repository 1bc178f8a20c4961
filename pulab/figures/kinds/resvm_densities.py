"""Figure 2.3: densities of the synthetic training sets, one row per setting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pulab.figures.panels import make_page
from pulab.figures.series import series_of
from pulib.plots import COLUMN

PARTS = {"labeled": "P", "unlabeled": "U"}


def draw(spec: Mapping[str, Any], tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration and tidy results."""
    tidy = tidy[tidy["dataset"] == spec["dataset"]]
    titles = [f"{label}: {part}" for label in spec["settings"].values() for part in PARTS.values()]
    shape = (len(spec["settings"]), 2)
    page = make_page(titles, shape=shape, width=1.25 * COLUMN, row_height=1.95, title_size=9, sharex=True, sharey=True)
    for column, part in enumerate(PARTS):
        axes = page.axes[column::2]
        densities = {s: series_of(tidy[tidy["setting"] == s], f"density_{part}") for s in spec["settings"]}
        greatest = max([values.max() for values in densities.values() if len(values)], default=1.0)
        for ax, values in zip(axes, densities.values(), strict=True):
            if len(values):
                draw_density(ax, values, spec["extent"], greatest)
            else:
                ax.text(0.5, 0.5, "not part of this run", transform=ax.transAxes, ha="center", fontsize=8, color="#555555")
        images = [image for ax in axes for image in ax.images]
        if images:
            page.body.colorbar(images[0], ax=axes, location="bottom", shrink=0.8, aspect=25, label=f"density of {PARTS[part]}")
    return page.fig


def draw_density(ax: Axes, values: np.ndarray, extent: float, greatest: float) -> None:
    """A density on a square grid, as stored row by row; ``greatest`` is the end of the color scale."""
    side = round(len(values) ** 0.5)
    box = (-extent, extent, -extent, extent)
    image = np.asarray(values).reshape(side, side)
    ax.imshow(image, origin="lower", extent=box, cmap="viridis", vmin=0.0, vmax=greatest, interpolation="bilinear")
    ax.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
    ax.grid(False)
