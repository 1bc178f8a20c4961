"""What the level field's figures share: families of methods and their looks, and means with intervals on a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from pulab.figures.style import BLACK, BROWN, METHOD_MARKERS, Look, color_of
from pulab.tables.levelfield import Field
from pulib.plots import PALETTE

#: What is drawn for the best of the ceilings, and for the best of the trivial classifiers.
CEILING: dict[str, Any]
TRIVIAL: dict[str, Any]
CEILING, TRIVIAL = {"color": BLACK, "linestyle": "--"}, {"color": BROWN, "linestyle": ":"}
OTHERS = "Others"


def families_of(spec: Mapping[str, Any], field: Field, methods: Iterable[str]) -> dict[str, list[str]]:
    """The ranked ones of some methods by family, as the figure's entry lists these; those of none come last."""
    ranked = field.ranked(methods)
    named = {family: [m for m in members if m in ranked] for family, members in spec["families"].items()}
    rest = [m for m in ranked if not any(m in members for members in named.values())]
    return {family: members for family, members in {**named, OTHERS: rest}.items() if members}


def family_looks(spec: Mapping[str, Any], methods: Iterable[str]) -> dict[str, Look]:
    """A marker for each family, and a color for each of its members: the same in all figures that list the same families.

    A method whose entry has a color keeps it; the family's others share what is left.

    >>> looks = family_looks({"families": {"trees": ["a", "b"], "lines": ["c"]}}, ["c", "b", "new"])
    >>> {method: look.marker for method, look in looks.items()}
    {'c': 's', 'b': 'o', 'new': '^'}
    """
    methods, families = list(methods), [list(members) for members in spec["families"].values()]
    families.append([m for m in methods if not any(m in members for members in families)])
    look_of: dict[str, Look] = {}
    for number, members in enumerate(families):
        fixed = {m: color for m in members if (color := color_of(m, spec))}
        left = [color for color in PALETTE if color not in fixed.values()]
        others = [m for m in members if m not in fixed]
        colors = fixed | {m: left[k % len(left)] for k, m in enumerate(others)}
        look_of |= {m: Look(colors[m], METHOD_MARKERS[number % len(METHOD_MARKERS)]) for m in members}
    return {m: look_of[m] for m in methods}


def draw_intervals(ax: Axes, found: pd.DataFrame, looks: Sequence[Look], *, names: Sequence[str], shift: float = 0.0) -> None:
    """Means with their intervals, one below the other, from the top.

    Parameters
    ----------
    found : DataFrame
        With ``mean, low, high``, a row per name, missing where there is nothing.
    names : sequence of str
    shift : float
        Downwards, in rows, for what stands beside others.
    """
    for k, (look, (mean, low, high)) in enumerate(
        zip(looks, found[["mean", "low", "high"]].to_numpy(dtype=float), strict=True)
    ):
        if np.isnan(mean):
            continue
        if not np.isnan(low):
            ax.plot([low, high], [k + shift] * 2, color=look.color, linewidth=1.2, solid_capstyle="butt")
        ax.plot([mean], [k + shift], color=look.color, marker=look.marker, markersize=4.5, linestyle="none")
    ax.set_yticks(range(len(names)), list(names))
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.axvline(0.0, color="#444444", linewidth=0.8)
    ax.grid(axis="y", visible=False)


def unranked_handles() -> list[Line2D]:
    """The legend's entries of ceiling and trivial classifiers."""
    return [
        Line2D([], [], label="best with true labels", linewidth=1.2, **CEILING),
        Line2D([], [], label="best trivial", linewidth=1.2, **TRIVIAL),
    ]
