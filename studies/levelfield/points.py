"""Names at points, so that a figure needs no legend."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from pulab.figures.style import INK, MUTED

#: Where a name may be about its point: the corner of the text that is nearest to it, and the shift in points.
_PLACES = (("left", "center", 5, 0), ("right", "center", -5, 0), ("center", "bottom", 0, 4), ("center", "top", 0, -4))
_PLACES += (("left", "bottom", 3, 2), ("right", "bottom", -3, 2), ("left", "top", 3, -2), ("right", "top", -3, -2))
#: Further off, where a line leads to the point.
_FAR = (("left", "bottom", 12, 9), ("right", "bottom", -12, 9), ("left", "top", 12, -9), ("right", "top", -12, -9))
_FAR += (("center", "bottom", 0, 16), ("center", "top", 0, -16), ("left", "center", 24, 0), ("right", "center", -24, 0))


def label_points(
    ax: Axes,
    points: Sequence[tuple[float, float, str]],
    *,
    others: Sequence[tuple[float, float]] = (),
    line: Sequence[tuple[float, float]] = (),
    size: float = 6.5,
) -> None:
    """Names at points, each where it covers no other name, no point and no line, as far as there is such a place.

    Where only a place further off is free, a line leads from it to the point.

    Call it last: the figure is laid out once to learn how large the names are.

    Parameters
    ----------
    points : sequence of (x, y, name)
    others : sequence of (x, y)
        Points without a name, not to be covered either.
    line : sequence of (x, y)
        Corners of a line that is not to be covered.
    size : float
        Of the names, in points.
    """
    figure: Any = ax.get_figure(root=True)
    figure.draw_without_rendering()
    places = [*((x, y) for x, y, _ in points), *others]
    pixels = ax.transData.transform(np.array(places, dtype=float).reshape(-1, 2))
    reach = 3.0 * figure.dpi / 72
    taken = [Bbox([spot - reach, spot + reach]) for spot in pixels]
    corners = ax.transData.transform(np.array(line, dtype=float).reshape(-1, 2))
    taken += [Bbox([np.minimum(a, b) - 1, np.maximum(a, b) + 1]) for a, b in pairwise(corners)]
    for own, (x, y, name) in enumerate(points):
        text = ax.annotate(name, (x, y), (0, 0), textcoords="offset points", fontsize=size, color=INK, annotation_clip=False)
        text.set_in_layout(False)
        found: list[tuple[float, int, Bbox]] = []
        for k, (across, along, right, up) in enumerate(_PLACES + _FAR):
            text.set(ha=across, va=along, position=(right, up))
            box = text.get_window_extent()
            covered = sum(_shared(box, other) for j, other in enumerate(taken) if j != own)
            found.append((covered + _outside(box, ax.bbox), k, box))
        _, k, box = min(found, key=lambda place: place[:2])
        across, along, right, up = (_PLACES + _FAR)[k]
        text.set(ha=across, va=along, position=(right, up))
        if k >= len(_PLACES):
            line_to = {"arrowstyle": "-", "color": MUTED, "lw": 0.6, "shrinkA": 0, "shrinkB": 2}
            ax.annotate("", (x, y), (right, up), textcoords="offset points", arrowprops=line_to).set_in_layout(False)
        taken.append(box.padded(reach))


def _shared(one: Bbox, other: Bbox) -> float:
    """The area that two boxes share."""
    both = Bbox.intersection(one, other)
    return 0.0 if both is None else both.width * both.height


def _outside(box: Bbox, frame: Any) -> float:
    """The area of a box outside a frame."""
    return box.width * box.height - _shared(box, Bbox(frame.get_points()))
