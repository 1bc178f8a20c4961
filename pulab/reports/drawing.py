"""Small pictures as SVG text: published against ours, and the cases of a claim.  Colors and shapes are classes of the page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from pulab.tables.verdict import VERDICTS

#: Shape of each verdict, drawn about the origin: they differ without color, too.
SHAPES = {
    "reproduced": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "cannot tell": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "close": "M0-5L5 0L0 5L-5 0z",
    "different": "M0-5.2L5 4H-5z",
}
#: What a picture that stands alone needs; the report has the same rules for its own.  Okabe and Ito's colors.
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #1d2733; } .axis { stroke: #6b7783; fill: none; }
.diagonal { stroke: #6b7783; stroke-dasharray: 4 3; }
.whisker { stroke: #98a3ad; stroke-width: 1; } .s { stroke: #1d2733; stroke-width: .7; }
.s.reproduced { fill: #56b4e9; } .s.cannot-tell { fill: #fff; } .s.close { fill: #f0e442; } .s.different { fill: #d55e00; }
.holds { fill: #0072b2; } .fails { fill: #d55e00; }
"""
_SIDE, _LEFT, _BELOW, _TOP = 300, 40, 40, 8


def verdict_class(verdict: str) -> str:
    """A verdict as the name of a class in the page."""
    return str(verdict).replace(" ", "-")


def scatter(cells: pd.DataFrame, title: str) -> str:
    """Published values against ours, with the diagonal and 95% intervals of the difference; each point links to its cell.

    Parameters
    ----------
    cells : DataFrame
        Judged cells with ``published, ours, points, se, verdict``, and ``key``, the cell's name in the page.
    title : str
        Said to those who do not see the picture.
    """
    shown = cells[cells["verdict"].isin(VERDICTS) & cells["points"].notna()]
    x, y = (shown[side].to_numpy(float) * shown["points"].to_numpy(float) for side in ("published", "ours"))
    if not len(shown):
        return ""
    low, high = _limits(np.r_[x, y])
    width, height = _LEFT + _SIDE + 8, _TOP + _SIDE + _BELOW

    def across(value: float) -> float:
        return _LEFT + _SIDE * (value - low) / (high - low)

    def down(value: float) -> float:
        return _TOP + _SIDE * (high - value) / (high - low)

    parts = [f'<svg class="scatter" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">']
    parts.append(f'<rect class="axis" x="{_LEFT}" y="{_TOP}" width="{_SIDE}" height="{_SIDE}"/>')
    parts.append(f'<path class="diagonal" d="M{_LEFT} {_TOP + _SIDE}L{_LEFT + _SIDE} {_TOP}"/>')
    for tick in _ticks(low, high):
        parts.append(f'<text x="{across(tick):.0f}" y="{_TOP + _SIDE + 16}" text-anchor="middle">{tick:g}</text>')
        parts.append(f'<text x="{_LEFT - 5}" y="{down(tick) + 4:.0f}" text-anchor="end">{tick:g}</text>')
    parts.append(f'<text x="{_LEFT + _SIDE / 2}" y="{height - 5}" text-anchor="middle">published</text>')
    parts.append(f'<text transform="translate(11 {_TOP + _SIDE / 2}) rotate(-90)" text-anchor="middle">ours</text>')
    order = np.argsort([VERDICTS.index(verdict) for verdict in shown["verdict"]], kind="stable")
    points = shown.to_dict("records")
    for k in order:
        half = 2 * points[k]["se"]
        if half > 0:
            top, bottom = down(min(y[k] + half, high)), down(max(y[k] - half, low))
            parts.append(f'<path class="whisker" d="M{across(x[k]):.1f} {top:.1f}V{bottom:.1f}"/>')
    for k in order:
        cell = points[k]
        place = f"translate({across(x[k]):.1f} {down(y[k]):.1f})"
        name = escape(f"{cell['table']}: {cell['row']} / {cell['column']}, published {x[k]:.4g}, ours {y[k]:.4g}")
        mark = f'<path class="s {verdict_class(cell["verdict"])}" transform="{place}" d="{SHAPES[cell["verdict"]]}"/>'
        parts.append(f'<a href="#{cell["key"]}" tabindex="-1"><title>{name}</title>{mark}</a>')
    return "".join([*parts, "</svg>"])


def sheet(panels: Sequence[tuple[str, str]]) -> str:
    """Scatters side by side in one picture that needs no page around it, with a key; for the README.

    Parameters
    ----------
    panels : sequence of (heading, SVG)
    """
    across, width, height = 3, 360, 390
    rows = math.ceil((len(panels) + 1) / across)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across * width} {rows * height}" role="img" '
        f'aria-label="Published values against ours, by study"><style>{STYLE}</style>'
        '<rect width="100%" height="100%" fill="#fff"/>'
    ]
    for k, (heading, svg) in enumerate(panels):
        x, y = k % across * width, k // across * height
        parts.append(f'<text x="{x + 40}" y="{y + 20}" style="font-size:15px;font-weight:600">{escape(heading)}</text>')
        parts.append(svg.replace("<svg ", f'<svg x="{x}" y="{y + 28}" width="348" height="348" ', 1))
    x, y = len(panels) % across * width + 60, len(panels) // across * height + 60
    for k, verdict in enumerate(VERDICTS):
        mark = f'<path class="s {verdict_class(verdict)}" transform="translate({x} {y + 28 * k})" d="{SHAPES[verdict]}"/>'
        parts.append(f'{mark}<text x="{x + 14}" y="{y + 28 * k + 4}">{verdict}</text>')
    note = ["Each point is a printed result, in percent.", "Lines: 95% interval of the difference."]
    parts += [f'<text x="{x - 6}" y="{y + 130 + 18 * k}">{line}</text>' for k, line in enumerate(note)]
    return "".join([*parts, "</svg>\n"])


def dots(cases: Sequence[Mapping[str, Any]]) -> str:
    """The cases of a claim on a line: by their difference, else by their p-value; empty where they have neither.

    Filled dots hold, crosses do not.
    """
    judged = [case for case in cases if case["status"] in ("holds", "fails")]
    for field, label, line in (("difference", "difference", 0.0), ("pvalue", "p-value", 0.05)):
        placed = [case for case in judged if not pd.isna(case[field]) and math.isfinite(case[field])]
        if placed and len(placed) >= len(judged) / 2:
            return _strip(placed, field, label, line)
    return ""


def _strip(cases: Sequence[Mapping[str, Any]], field: str, label: str, line: float) -> str:
    values = np.array([case[field] for case in cases], dtype=float)
    low, high = min(values.min(), line), max(values.max(), line)
    span = high - low or 1.0
    low, high = low - 0.04 * span, high + 0.04 * span
    width, step, size = 420, 9, 44
    at = 10 + (width - 20) * (values - low) / (high - low)
    heaps: dict[int, int] = {}
    parts = []
    for place, case in sorted(zip(at, cases, strict=True), key=lambda pair: pair[0]):
        bin_ = int(place // step)
        heaps[bin_] = heaps.get(bin_, 0) + 1
        x, y = bin_ * step + step / 2, -step * (heaps[bin_] - 0.5)
        name = f"<title>{escape(str(case['case']))}: {case[field]:.3g}</title>"
        if case["status"] == "holds":
            parts.append(f'<circle class="holds" cx="{x:.1f}" cy="{y:.1f}" r="3.6">{name}</circle>')
        else:
            cross = "M-3.6-2.4L-2.4-3.6L0-1.2L2.4-3.6L3.6-2.4L1.2 0L3.6 2.4L2.4 3.6L0 1.2L-2.4 3.6L-3.6 2.4L-1.2 0z"
            parts.append(f'<path class="fails" transform="translate({x:.1f} {y:.1f})" d="{cross}">{name}</path>')
    size = max(size, step * max(heaps.values()) + 24)
    zero = 10 + (width - 20) * (line - low) / (high - low)
    held = sum(case["status"] == "holds" for case in cases)
    said = f"{held} of {len(cases)} cases hold; {label} from {values.min():.3g} to {values.max():.3g}"
    base = size - 20
    # the line is named, and the ends of the axis: what lies there is a case, or the line itself
    ends = f'<text x="2" y="{size - 4}">{_signed(min(values.min(), line))}</text>'
    ends += f'<text x="{width - 2}" y="{size - 4}" text-anchor="end">{_signed(max(values.max(), line))}</text>'
    middle = f'<text x="{zero:.0f}" y="{size - 4}" text-anchor="middle">{line:g}</text>' if 60 < zero < width - 60 else ""
    return (
        f'<svg class="dots" viewBox="0 0 {width} {size}" role="img" aria-label="{escape(said)}">'
        f'<path class="axis" d="M4 {base}H{width - 4}"/><path class="diagonal" d="M{zero:.1f} 0V{base}"/>'
        f'<g transform="translate(0 {base})">{"".join(parts)}</g>{ends}{middle}</svg>'
    )


def _signed(value: float) -> str:
    """Three digits, with a minus sign that is one."""
    return f"{value:.3g}".replace("-", "−")


def _limits(values: np.ndarray) -> tuple[float, float]:
    low, high = float(np.min(values)), float(np.max(values))
    room = 0.05 * (high - low or 1.0)
    return low - room, high + room


def _ticks(low: float, high: float) -> list[float]:
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1e9) if (high - low) / s <= 6)
    return [step * k for k in range(math.ceil(low / step), math.floor(high / step) + 1)]
