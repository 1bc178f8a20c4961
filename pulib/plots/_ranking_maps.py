"""Maps of how a method ranks the points of a plane, and the strips of such a map along a path."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy.ndimage import map_coordinates

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Light is early, as in the paper.
MAP_COLORS = "gray"


def equalized_map(values: np.ndarray) -> np.ndarray:
    """Scores of a square grid's points, row by row from the origin, as ranks in (0, 1): a histogram-equalized image.

    Parameters
    ----------
    values : array of shape (side * side,)

    Returns
    -------
    image : array of shape (side, side)
        ``image[i, j]`` belongs to the point (j, i) / (side - 1); equal scores share the mean of their ranks.
    """
    from scipy.stats import rankdata

    values = np.asarray(values, dtype=np.float64)
    side = round(np.sqrt(len(values)))
    if side * side != len(values):
        raise ValueError(f"{len(values)} values do not fill a square grid")
    return ((rankdata(values) - 0.5) / len(values)).reshape(side, side)


def strip_along(
    image: np.ndarray, corners: Sequence[Sequence[float]], *, width: float = 0.12, length: int = 160, height: int = 24
) -> np.ndarray:
    """The part of a map around a path through the unit square, straightened.

    Parameters
    ----------
    image : array of shape (side, side)
    corners : sequence of points (x, y)
        The path's corners, from its start to its end.
    width : float, default=0.12
        Of the strip, in units of the square's side.
    length, height : int
        The strip's size in points.

    Returns
    -------
    strip : array of shape (height, length)
        Along the path from left to right.
    """
    points = np.asarray(corners, dtype=np.float64)
    steps = np.diff(points, axis=0)
    lengths = np.hypot(*steps.T)
    ends = np.concatenate([[0.0], np.cumsum(lengths)])
    at = np.linspace(0.0, ends[-1], length)
    piece = np.clip(np.searchsorted(ends, at, side="right") - 1, 0, len(lengths) - 1)
    direction = steps[piece] / lengths[piece, None]
    on_path = points[piece] + (at - ends[piece])[:, None] * direction
    normal = np.column_stack([-direction[:, 1], direction[:, 0]])
    offsets = np.linspace(0.5 * width, -0.5 * width, height)
    where = on_path[None] + offsets[:, None, None] * normal[None]
    side = image.shape[0] - 1
    return map_coordinates(image, [where[..., 1] * side, where[..., 0] * side], order=1, mode="nearest")


def plot_map(ax: Axes, image: np.ndarray) -> None:
    """An equalized map over the unit square; light points rank first."""
    ax.imshow(image, origin="lower", extent=(0, 1, 0, 1), cmap=MAP_COLORS, vmin=0, vmax=1, interpolation="nearest")
    ax.set(xticks=[], yticks=[])
    ax.grid(False)


def plot_strips(ax: Axes, strips: Sequence[np.ndarray]) -> None:
    """Strips below each other, with a white gap between them."""
    gap = np.ones((max(2, strips[0].shape[0] // 6), strips[0].shape[1]))
    rows = [part for strip in strips for part in (strip, gap)][:-1]
    ax.imshow(np.vstack(rows), cmap=MAP_COLORS, vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    ax.set(xticks=[], yticks=[])
    ax.grid(False)
    ax.spines[:].set_visible(False)


def plot_training_rows(ax: Axes, x: np.ndarray, y: np.ndarray, positive: np.ndarray, paths: Sequence[np.ndarray] = ()) -> None:
    """Training rows in the unit square, positives in red circles, and arrows along the paths of the expansion."""
    ax.scatter(x[~positive], y[~positive], s=5, c="#0072B2", marker="x", linewidths=0.5, label="negative")
    ax.scatter(x[positive], y[positive], s=7, facecolors="none", edgecolors="#D55E00", linewidths=0.6, label="positive")
    for path in paths:
        for start, end in pairwise(path):
            ax.annotate("", end, start, arrowprops={"arrowstyle": "->", "lw": 1.4, "color": "black"})
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=[], yticks=[])
    ax.grid(False)
