"""Labels at points, instead of a legend."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from pulab.figures.style import INK, MUTED

#: Positions of a label around its point: the alignment of the text, and the shift in points.
_PLACES = (("left", "center", 5, 0), ("right", "center", -5, 0), ("center", "bottom", 0, 4), ("center", "top", 0, -4))
_PLACES += (("left", "bottom", 3, 2), ("right", "bottom", -3, 2), ("left", "top", 3, -2), ("right", "top", -3, -2))
#: Positions further away, with a line to the point.
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
    """Label points so that labels cover no other label, point or line if possible, with a line to distant labels.

    Call it last: the figure is laid out once to measure the labels.

    Parameters
    ----------
    points : sequence of (x, y, name)
    others : sequence of (x, y)
        Points without a label, which should not be covered either.
    line : sequence of (x, y)
        Corners of a line that should not be covered.
    size : float
        Font size of the labels, in points.
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
    """Return the area that two boxes share."""
    both = Bbox.intersection(one, other)
    return 0.0 if both is None else both.width * both.height


def _outside(box: Bbox, frame: Any) -> float:
    """Return the area of a box outside a frame."""
    return box.width * box.height - _shared(box, Bbox(frame.get_points()))
