"""Figure 2: the generated set, how each method ranks the unit square, and that ranking along the two paths of the expansion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from pulab.figures.labels import quoted
from pulab.figures.panels import make_sheet, say_nothing_to_draw
from pulab.figures.series import series_of
from pulab.figures.style import BLUE, VERMILION
from pulab.tables import Results
from pulab.tables.sentences import sentence_case
from pulib.datasets import CLUSTERS, PATHS
from pulib.plots import PAGE
from studies.pces.ranking_maps import equalized_map, strip_along

#: Light ranks first, as in the paper.
MAP_COLORS = "gray"
#: Of the paths, in all panels.
PATH_COLORS = (VERMILION, BLUE)
#: Characters of a title, beyond which it would touch its neighbor's.
LONG_TITLE = 24
METHODS = (
    "sgbdota_1_pruned",
    "get_ensemble",
    "pu_svm",
    "sgbauc_pruned",
    "random_forest_100",
    "sgbdota_1_initial",
    "sgbdota_2_pruned",
)

Path = Sequence[Sequence[float]]


def draw_maps(results: Results) -> Figure:
    """The training rows, and a map per method with the strips along its paths below it."""
    tidy = results.tidy
    tidy = tidy[(tidy["setting"] == "map") & (tidy["dataset"] == "expanding_clusters")]
    methods = [name for name in METHODS if (tidy["method"] == name).any()]
    centers = {cluster.name: cluster.center for cluster in CLUSTERS}
    paths = [[centers[name] for name in path] for path in PATHS]
    n = len(methods) + 1 if methods else 0
    columns = max(2, (n + 1) // 2)
    maps = {method: equalized_map(series_of(tidy[tidy["method"] == method], "map")) for method in methods}
    strips = {method: [strip_along(image, path) for path in paths] for method, image in maps.items()}
    fig, body = make_sheet(PAGE / columns * 3.05 + 0.5, heading=_finding(strips, results))
    if not methods:
        say_nothing_to_draw(body.add_subplot())
        return fig
    grid = body.add_gridspec(4, columns, height_ratios=[1, 0.42, 1, 0.42])
    panels: list[Axes] = []
    images: list[AxesImage] = []
    for number in range(n):
        row, column = divmod(number, columns)
        ax = body.add_subplot(grid[2 * row, column])
        letter = "abcdefghijkl"[number]
        of_method = tidy[tidy["method"] == methods[max(number - 1, 0)]]
        if number == 0:
            x, y, positive = (series_of(of_method, name) for name in ("train_x", "train_y", "train_positive"))
            draw_training_rows(ax, x, y, positive == 1, paths)
            ax.set_title(f"{letter}  training rows", loc="left", fontsize=7.5)
            # below it, where the others have their strips
            key = body.add_subplot(grid[2 * row + 1, column])
            key.set_axis_off()
            panels += [ax, key]
            key.legend(*ax.get_legend_handles_labels(), loc="center left", fontsize=7, handlelength=1.5)
            continue
        draw_map(ax, maps[methods[number - 1]], paths)
        images += ax.images
        title = f"{letter}  {results.labels[methods[number - 1]]}"
        ax.set_title(title, loc="left", fontsize=7.5 if len(title) <= LONG_TITLE else 6)
        below = body.add_subplot(grid[2 * row + 1, column])
        panels += [ax, below]
        draw_strips(below, strips[methods[number - 1]])
    bar = body.colorbar(images[0], ax=panels, location="bottom", shrink=0.35, aspect=30, ticks=[0, 0.5, 1])
    bar.set_label("place in the ranking (1: most positive)", fontsize=8)
    return fig


def _finding(strips: Mapping[str, Sequence[np.ndarray]], results: Results) -> str:
    """Who ranks the paths of the expansion highest, and who lowest."""
    if not strips:
        return ""
    places = {results.labels[method]: np.mean([strip.mean() for strip in own]) for method, own in strips.items()}
    first, last = (pick(places, key=places.__getitem__) for pick in (max, min))
    highest = f"{sentence_case(quoted(first))} ranks the paths of the expansion highest (mean place {places[first]:.2f})"
    return f"{highest}, {quoted(last)} lowest ({places[last]:.2f})"


def draw_training_rows(ax: Axes, x: np.ndarray, y: np.ndarray, positive: np.ndarray, paths: Sequence[Path] = ()) -> None:
    """Training rows in the unit square, and arrows along the paths of the expansion."""
    for at, color, marker, label in ((~positive, "#777777", "x", "negative"), (positive, "#000000", "o", "positive")):
        ax.scatter(x[at], y[at], s=6, c=color, marker=marker, linewidths=0.5, label=label, rasterized=True)
    _draw_paths(ax, paths)
    for number, color in zip(range(len(paths)), PATH_COLORS, strict=False):
        ax.plot([], [], color=color, label=f"path {number + 1}", linewidth=1.6)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=[], yticks=[], xlabel="$x_1$", ylabel="$x_2$")
    ax.grid(False)


def draw_map(ax: Axes, image: np.ndarray, paths: Sequence[Path] = ()) -> None:
    """An equalized map over the unit square with the paths of the expansion on it."""
    ax.imshow(image, origin="lower", extent=(0, 1, 0, 1), cmap=MAP_COLORS, vmin=0, vmax=1, interpolation="nearest")
    _draw_paths(ax, paths)
    ax.set(xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[])
    ax.grid(False)


def draw_strips(ax: Axes, strips: Sequence[np.ndarray]) -> None:
    """Strips below each other, with a gap between them, their starts and ends named."""
    height, length = strips[0].shape
    pitch = height + max(2, height // 4)
    for number, (strip, color) in enumerate(zip(strips, PATH_COLORS, strict=False)):
        top = number * pitch
        extent = (0, length, top + height, top)
        ax.imshow(strip, cmap=MAP_COLORS, vmin=0, vmax=1, aspect="auto", interpolation="nearest", extent=extent)
        ax.plot([0, 0], [top, top + height], color=color, linewidth=3, clip_on=False)
    last = (len(strips) - 1) * pitch + height
    ax.set(xlim=(0, length), ylim=(last, 0), xticks=[0, length])
    ax.set_xticklabels(["start", "end"], fontsize=6)
    start, end = ax.get_xticklabels()
    start.set_horizontalalignment("left")
    end.set_horizontalalignment("right")
    ax.set_yticks([k * pitch + height / 2 for k in range(len(strips))], [f"{k + 1}" for k in range(len(strips))], fontsize=6)
    ax.tick_params(length=0, pad=2)
    ax.grid(False)
    ax.spines[:].set_visible(False)


def _draw_paths(ax: Axes, paths: Sequence[Path]) -> None:
    for number, (path, color) in enumerate(zip(paths, PATH_COLORS, strict=False)):
        # side by side where both begin
        shift = 0.012 * (2 * number - 1)
        for start, end in pairwise(path):
            arrow = {"arrowstyle": "->", "lw": 1.3, "color": color, "shrinkA": 0, "shrinkB": 0}
            ax.annotate("", (end[0], end[1] + shift), (start[0], start[1] + shift), arrowprops=arrow)
        ax.plot(*path[0], marker="o", markersize=3.5, mfc="white", mec=color, mew=1.0)
