"""One color and marker per method in all figures of all studies, from the methods' entries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from pulib.plots import PALETTE

if TYPE_CHECKING:  # planning reads the names of colors
    from pulab.tables.results import Results

BLUE, VERMILION, GREEN, PINK, ORANGE, SKY, BLACK, BROWN = PALETTE
#: By the names used in methods' entries.  The last six extend the palette for figures with more than eight methods; they remain
#: distinct from it and from each other with the common color vision deficiencies.
COLORS = dict(zip(("blue", "vermilion", "green", "pink", "orange", "sky", "black", "brown"), PALETTE, strict=True)) | {
    "violet": "#6E00E1",
    "plum": "#6E0050",
    "navy": "#00288C",
    "olive": "#AAAA50",
    "forest": "#285028",
    "maroon": "#6E0000",
}
#: For everything but methods: means over methods, rankings, single learners in the background.
INK, MUTED = "#222222", "#9A9A9A"
#: Markers of methods; the diamond is reserved for published values.
METHOD_MARKERS = ("o", "s", "^", "v", "P", "X", "*", "<", ">", "p", "h")
PUBLISHED_MARKER = "D"


class Style(NamedTuple):
    """Color and marker of a method."""

    color: str
    marker: str


def styles(methods: Iterable[str], results: Results) -> dict[str, Style]:
    """Return the style of each method of a figure; methods without a style get the remaining ones, in order."""
    return spread_styles(methods, {name: own.style for name, own in results.methods.items() if own.style})


def spread_styles(methods: Iterable[str], given: Mapping[str, tuple[str, str]]) -> dict[str, Style]:
    """Return the same, given the (color, marker) of the methods that have one.

    >>> spread_styles(["theirs", "mine"], {"theirs": ("green", "^")})
    {'theirs': Style(color='#009E73', marker='^'), 'mine': Style(color='#0072B2', marker='o')}
    """
    methods = list(dict.fromkeys(methods))
    fixed = {m: Style(COLORS[given[m][0]], given[m][1]) for m in methods if m in given}
    colors, markers = {style.color for style in fixed.values()}, {style.marker for style in fixed.values()}
    # unused ones come first; both color and marker change from one to the next
    palette = sorted(COLORS.values(), key=colors.__contains__)
    shapes = sorted(METHOD_MARKERS, key=markers.__contains__)
    spread = (
        Style(color, shapes[(k + shift) % len(shapes)]) for shift in range(len(shapes)) for k, color in enumerate(palette)
    )
    left = (style for style in spread if style not in set(fixed.values()))
    return {method: fixed[method] if method in fixed else next(left) for method in methods}
