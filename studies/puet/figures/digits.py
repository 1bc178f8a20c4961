"""Maps of the importances of pixels, one column per digit and one row per method."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pulab.figures.panels import NOT_RUN, make_sheet, title_of
from pulab.figures.series import choose_dataset, series_by_repeat
from pulab.tables.inputs import Spec
from pulab.trials.artifacts import Artifact, Dataset, Method


class Keys(Artifact):
    choose: list[Dataset]
    importance: str
    rows: dict[str, Method]
    wording: str


def draw(spec: Spec, tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration and tidy results."""
    dataset, tidy = choose_dataset(tidy, spec["choose"], spec["stand_ins"])
    tidy = tidy[tidy["setting"] == "class_importance"]
    maps = {
        (label, digit): importances.mean().to_numpy()
        for label, method in spec["rows"].items()
        for digit in range(10)
        if len(importances := series_by_repeat(tidy[tidy["method"] == method], f"{spec['importance']}_{digit}"))
    }
    fig, body = make_sheet(2.0, "Means over repeats.", _finding(maps, spec, title_of(spec, dataset)))
    axes = body.subplots(len(spec["rows"]), 10, squeeze=False)
    for row, label in zip(axes, spec["rows"], strict=True):
        row[0].set_ylabel(label, fontsize=7)
        for digit, ax in enumerate(row):
            if (label, digit) in maps:
                draw_map(ax, maps[label, digit])
            else:
                ax.set_axis_off()
                if digit == 0:  # one line for the row, which takes no room from the others
                    ax.text(0.0, 0.5, f"{label}: {NOT_RUN}", color="#555555", fontsize=8).set_in_layout(False)
            if ax in axes[0]:
                ax.set_title(str(digit), fontsize=8)
    images = [image for ax in axes.ravel() for image in ax.images]
    if images:
        bar = body.colorbar(images[0], ax=list(axes.ravel()), shrink=0.85, aspect=14, ticks=[0, 0.5, 1])
        bar.set_label("importance, relative to\nthe panel's greatest", fontsize=7)
        bar.ax.tick_params(labelsize=7)
    return fig


def _finding(maps: Mapping[tuple[str, int], np.ndarray], spec: Spec, title: str) -> str:
    """How alike the maps of the first two rows are: the correlation over pixels, the mean over digits."""
    first, second = list(spec["rows"])[:2]
    alike = [
        np.corrcoef(maps[first, digit], maps[second, digit])[0, 1]
        for digit in range(10)
        if (first, digit) in maps and (second, digit) in maps
    ]
    what = f"{spec['wording']} on {title}"
    return f"{what}: maps of {first} and {second} correlate at {np.mean(alike):.2f} on average" if alike else what


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
