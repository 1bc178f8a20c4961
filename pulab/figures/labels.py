"""Names at the ends of lines, so that a figure needs no legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes

from pulab.figures.printed import separate
from pulab.figures.style import INK

#: Of names, in points.
SIZE = 7.0


class End(NamedTuple):
    """The last point of a line, its name, and its color."""

    x: float
    y: float
    name: str
    color: str


def label_ends(ax: Axes, ends: Sequence[End], names: Mapping[str, str] | None = None, *, height: float) -> None:
    """Names in a column to the right of the lines, apart from each other, each joined to its line's end.

    Call it last: names take their place from the axis' present limits. ``names`` maps lines to what they are called; without it
    each end has its name. ``height`` is about the panel's, in inches.
    """
    low, high = ax.get_ylim()
    texts = [(names or {}).get(end.name, end.name) for end in ends]
    lines = 1 + max((text.count("\n") for text in texts), default=0)
    gap = 1.25 * lines * SIZE / 72 / height * (high - low)
    for end, text, place in zip(ends, texts, separate([end.y for end in ends], gap, low, high), strict=True):
        ax.annotate(
            text, (end.x, end.y), (1.05, place),
            textcoords=ax.get_yaxis_transform(), va="center", fontsize=SIZE, color=INK,
            arrowprops={"arrowstyle": "-", "color": end.color, "lw": 0.9, "shrinkA": 1, "shrinkB": 3, "relpos": (0, 0.5)},
            annotation_clip=False,
        )  # fmt: skip


def quoted(name: str) -> str:
    """A name inside a sentence, whose commas it must not be mixed up with.

    >>> quoted("RESVM"), quoted("uPU, logistic")
    ('RESVM', '“uPU, logistic”')
    """
    return f"“{name}”" if "," in name else name
