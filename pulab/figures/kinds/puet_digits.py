"""Maps of the importances of pixels, one column per digit and one row per method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pulab.figures.panels import make_sheet, title_of
from pulab.figures.series import choose_dataset, series_by_repeat


def draw(spec: Mapping[str, Any], tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration and tidy results."""
    dataset, tidy = choose_dataset(tidy, spec["choose"], spec["stand_ins"])
    tidy = tidy[tidy["setting"] == "class_importance"]
    fig, body = make_sheet(1.95)
    body.suptitle(f"{title_of(spec, dataset)}, each digit against the rest", x=0.01, ha="left", fontsize=9)
    axes = body.subplots(len(spec["rows"]), 10, squeeze=False)
    for row, (label, method) in zip(axes, spec["rows"].items(), strict=True):
        of_method = tidy[tidy["method"] == method]
        row[0].set_ylabel(label, fontsize=7)
        for digit, ax in enumerate(row):
            importances = series_by_repeat(of_method, f"{spec['importance']}_{digit}")
            if len(importances):
                draw_map(ax, importances.mean().to_numpy())
            else:
                ax.set_axis_off()
                if digit == 0:  # one line for the row, which takes no room from the others
                    ax.text(0.0, 0.5, f"{label}: not part of this run", color="#555555", fontsize=8).set_in_layout(False)
            if ax in axes[0]:
                ax.set_title(str(digit), fontsize=8)
    images = [image for ax in axes.ravel() for image in ax.images]
    if images:
        bar = body.colorbar(images[0], ax=list(axes.ravel()), shrink=0.85, aspect=14, ticks=[0, 0.5, 1])
        bar.set_label("importance, relative to\nthe panel's greatest", fontsize=7)
        bar.ax.tick_params(labelsize=7)
    return fig


def draw_map(ax: Axes, importances: np.ndarray) -> None:
    """An importance per pixel as a square picture, relative to the greatest (negative ones count as 0)."""
    side = round(np.sqrt(len(importances)))
    if side * side != len(importances):
        raise ValueError(f"{len(importances)} importances make no square picture")
    picture = np.clip(importances, 0.0, None).reshape(side, side)
    picture = picture / max(picture.max(), np.finfo(float).tiny)
    ax.imshow(picture, cmap="magma", vmin=0.0, vmax=1.0, interpolation="nearest")
    ax.set(xticks=[], yticks=[])
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
