"""Labels at the ends of lines, instead of a legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes

from pulab.figures.printed import separate
from pulab.figures.style import INK

#: Font size of labels, in points.
SIZE = 7.0


class End(NamedTuple):
    """The last point of a line, its name, and its color."""

    x: float
    y: float
    name: str
    color: str


def label_ends(ax: Axes, ends: Sequence[End], names: Mapping[str, str] | None = None, *, height: float) -> None:
    """Label lines to the right of the panel, spaced apart and joined to the lines' ends.

    Call it last: positions depend on the current axis limits.  ``names`` maps lines to their labels; by default, each end has
    its own name.  ``height`` is the panel's approximate height, in inches.
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
    """Put a name that contains a comma in quotation marks, for use in a sentence.

    >>> quoted("RESVM"), quoted("uPU, logistic")
    ('RESVM', '“uPU, logistic”')
    """
    return f"“{name}”" if "," in name else name
