"""Maps of how a method ranks the points of a plane, and strips of such a map along a path."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.ndimage import map_coordinates


def equalized_map(values: np.ndarray) -> np.ndarray:
    """Convert scores on a square grid, row by row from the origin, to ranks in (0, 1): a histogram-equalized image.

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
    """Return the part of a map around a path through the unit square, straightened.

    Parameters
    ----------
    image : array of shape (side, side)
    corners : sequence of points (x, y)
        Corners of the path, from start to end.
    width : float, default=0.12
        Width of the strip, in units of the square's side.
    length, height : int
        Size of the strip, in points.

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
