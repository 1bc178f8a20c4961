"""One color and marker per method in all figures of all studies, as the methods' entries say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pulab.tables.results import Results
from pulib.plots import PALETTE

BLUE, VERMILION, GREEN, PINK, ORANGE, SKY, BLACK, BROWN = PALETTE
#: By the names that methods' entries call them by.  The last six continue the palette where a figure has more than
#: eight methods;
#: they stay apart from it and from each other with the common color vision deficiencies, too.
COLORS = dict(zip(("blue", "vermilion", "green", "pink", "orange", "sky", "black", "brown"), PALETTE, strict=True)) | {
    "violet": "#6E00E1",
    "plum": "#6E0050",
    "navy": "#00288C",
    "olive": "#AAAA50",
    "forest": "#285028",
    "maroon": "#6E0000",
}
#: Of what is no method: means over methods, rankings, single learners in the background.
INK, MUTED = "#222222", "#9A9A9A"
#: Markers of methods; the diamond belongs to published values alone.
METHOD_MARKERS = ("o", "s", "^", "v", "P", "X", "*", "<", ">", "p", "h")
PUBLISHED_MARKER = "D"


class Style(NamedTuple):
    """Color and marker of a method."""

    color: str
    marker: str


def styles(methods: Iterable[str], results: Results) -> dict[str, Style]:
    """The style of each method of one figure; methods that have none of their own take those that are left, in their order."""
    return spread_styles(methods, {name: own.style for name, own in results.methods.items() if own.style})


def spread_styles(methods: Iterable[str], given: Mapping[str, tuple[str, str]]) -> dict[str, Style]:
    """The same, with the (color, marker) of the methods that have some.

    >>> spread_styles(["theirs", "mine"], {"theirs": ("green", "^")})
    {'theirs': Style(color='#009E73', marker='^'), 'mine': Style(color='#0072B2', marker='o')}
    """
    methods = list(dict.fromkeys(methods))
    fixed = {m: Style(COLORS[given[m][0]], given[m][1]) for m in methods if m in given}
    colors, markers = {style.color for style in fixed.values()}, {style.marker for style in fixed.values()}
    # what is free comes first; colors and markers both change from one to the next
    palette = sorted(COLORS.values(), key=colors.__contains__)
    shapes = sorted(METHOD_MARKERS, key=markers.__contains__)
    spread = (
        Style(color, shapes[(k + shift) % len(shapes)]) for shift in range(len(shapes)) for k, color in enumerate(palette)
    )
    left = (style for style in spread if style not in set(fixed.values()))
    return {method: fixed[method] if method in fixed else next(left) for method in methods}
