"""Figure 2: the generated set, how each method ranks the unit square, and that ranking along both paths of the expansion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pulab.figures.labels import quoted
from pulab.figures.panels import draw_empty_panel, make_sheet
from pulab.figures.series import series_of
from pulab.figures.style import BLUE, INK, VERMILION
from pulab.tables import Results
from pulab.tables.sentences import sentence_case
from pulib.datasets import CLUSTERS, PATHS
from pulib.plots import PAGE
from studies.pces.ranking_maps import equalized_map, strip_along

#: Light points rank first, as in the paper.
MAP_COLORS = "gray"
#: Colors of the paths in all panels.
PATH_COLORS = (VERMILION, BLUE)
#: Titles with more characters are smaller, so as not to touch the next one.
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
    """Draw the training rows, a map per method, and below them a strip per method along each path."""
    tidy = results.tidy
    tidy = tidy[(tidy["setting"] == "map") & (tidy["dataset"] == "expanding_clusters")]
    methods = [name for name in METHODS if (tidy["method"] == name).any()]
    centers = {cluster.name: cluster.center for cluster in CLUSTERS}
    paths = [[centers[name] for name in path] for path in PATHS]
    n = len(methods) + 1 if methods else 0
    columns = max(2, (n + 1) // 2)
    maps = {method: equalized_map(series_of(tidy[tidy["method"] == method], "map")) for method in methods}
    strips = {method: [strip_along(image, path).mean(axis=0) for path in paths] for method, image in maps.items()}
    places = {method: float(np.mean([strip.mean() for strip in own])) for method, own in strips.items()}
    methods.sort(key=lambda method: -places[method])
    note = (
        "Training rows: dots are positive, crosses negative. Gray: the place in a method's ranking of the square, from 0 "
        "(black, last) to 1 (white, most positive). Strips: mean place across each path, from its start to its end; numbers: "
        "mean place over both paths, by which the methods are ordered."
    )
    height = PAGE / columns * 2.3
    fig, body = make_sheet(height + 2.4, note if methods else "", heading=_finding(places, results))
    if not methods:
        draw_empty_panel(body.add_subplot())
        return fig
    fig.set_layout_engine("constrained", w_pad=0.12)  # names of strips are wider at another resolution
    above, below = body.subfigures(2, 1, squeeze=False, height_ratios=[height, 2.0])[:, 0]
    for number, method in enumerate(["", *methods]):
        ax = above.add_subplot(2, columns, number + 1)
        title = results.labels[method] if method else "training rows"
        if method:
            draw_map(ax, maps[method], paths)
        else:
            x, y, positive = (series_of(tidy[tidy["method"] == methods[0]], f"train_{name}") for name in ("x", "y", "positive"))
            draw_training_rows(ax, x, y, positive == 1, paths)
        ax.set_title(title, loc="left", fontsize=7.5 if len(title) <= LONG_TITLE else 6.5)
    for number, (ax, names) in enumerate(zip(below.subplots(1, len(paths)), PATHS, strict=True)):
        labels = [results.labels[method] if number == 0 else "" for method in methods]
        draw_strips(ax, [strips[method][number] for method in methods], labels, stops(paths[number]), names)
        ax.set_title(f"path {number + 1}: {' to '.join(names)}", loc="left", fontsize=8.5, color=PATH_COLORS[number])
    for row, words in enumerate(["mean", *(f"{places[method]:.2f}" for method in methods)]):
        ax.text(1.02, row - 0.5, words, va="center", fontsize=7.5, color=INK)
    return fig


def stops(path: Path) -> np.ndarray:
    """Return the positions of a path's corners, from 0 at its start to 1 at its end.

    >>> stops([(0, 0), (3, 4), (3, 9)]).tolist()
    [0.0, 0.5, 1.0]
    """
    lengths = np.hypot(*np.diff(np.asarray(path, dtype=float), axis=0).T)
    return np.concatenate([[0.0], np.cumsum(lengths)]) / lengths.sum()


def _finding(places: Mapping[str, float], results: Results) -> str:
    """State which method ranks the paths of the expansion highest, and which lowest."""
    if not places:
        return ""
    first, last = (pick(places, key=places.__getitem__) for pick in (max, min))
    (highest, lowest), place = (quoted(results.labels[method]) for method in (first, last)), f"mean place {places[first]:.2f}"
    return f"{sentence_case(highest)} ranks the paths of the expansion highest ({place}), {lowest} lowest ({places[last]:.2f})"


def draw_training_rows(ax: Axes, x: np.ndarray, y: np.ndarray, positive: np.ndarray, paths: Sequence[Path] = ()) -> None:
    """Draw training rows in the unit square, and arrows along the paths of the expansion."""
    for at, color, marker in ((~positive, "#777777", "x"), (positive, "#000000", "o")):
        ax.scatter(x[at], y[at], s=6, c=color, marker=marker, linewidths=0.5, rasterized=True)
    _draw_paths(ax, paths)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=[], yticks=[], xlabel="$x_1$", ylabel="$x_2$")
    ax.grid(False)


def draw_map(ax: Axes, image: np.ndarray, paths: Sequence[Path] = ()) -> None:
    """Draw an equalized map over the unit square, with the paths of the expansion."""
    ax.imshow(image, origin="lower", extent=(0, 1, 0, 1), cmap=MAP_COLORS, vmin=0, vmax=1, interpolation="nearest")
    _draw_paths(ax, paths)
    ax.set(xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[])
    ax.grid(False)


def draw_strips(ax: Axes, strips: Sequence[np.ndarray], labels: Sequence[str], at: np.ndarray, names: Sequence[str]) -> None:
    """Draw a strip per method, one below the other, with the names of the clusters on the path at the bottom.

    Parameters
    ----------
    ax : Axes
    strips : sequence of arrays of shape (length,)
        Places in the ranking.
    labels : sequence of str
        Labels of the strips.
    at : array
        Positions of the clusters, from 0 to 1.
    names : sequence of str
        Names of the clusters.
    """
    for number, strip in enumerate(strips):
        extent = (0.0, 1.0, number + 0.9, number + 0.1)
        ax.imshow(strip[None], cmap=MAP_COLORS, vmin=0, vmax=1, aspect="auto", interpolation="nearest", extent=extent)
    ax.set(xlim=(0, 1), ylim=(len(strips), 0))
    ax.set_xticks(at, list(names), fontsize=7.5)
    first, *_, last = ax.get_xticklabels()
    first.set_horizontalalignment("left")
    last.set_horizontalalignment("right")
    ax.set_yticks(np.arange(len(strips)) + 0.5, list(labels), fontsize=7.5)
    ax.tick_params(axis="y", length=0)
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
