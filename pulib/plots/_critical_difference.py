"""Critical-difference diagrams (Demšar 2006, section 3.2.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from pulib._optional import needed_by
from pulib.plots._style import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pulib.statistics import FriedmanNemenyi


def critical_difference_diagram(result: FriedmanNemenyi, ax: Axes, *, colors: Mapping[str, str] | None = None) -> None:
    """Draw average ranks on a line, bars over methods without significant differences, and the critical difference.

    Parameters
    ----------
    result : FriedmanNemenyi
        From :func:`pulib.friedman_nemenyi`.
    ax : Axes
    colors : mapping of method to color, optional
        None uses the palette's colors in the order of the ranks.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from pulib.plots import critical_difference_diagram, style
    >>> from pulib.statistics import friedman_nemenyi
    >>> result = friedman_nemenyi([[0.9, 0.8, 0.5], [0.8, 0.7, 0.6], [0.7, 0.6, 0.5], [0.9, 0.8, 0.4]])
    >>> with style():
    ...     ax = Figure(figsize=(5, 2)).add_subplot()
    ...     critical_difference_diagram(result, ax)
    >>> print([text.get_text() for text in ax.texts if "CD" in text.get_text()])
    ['CD = 1.66']
    """
    with needed_by("critical_difference_diagram", extra="plots"):
        import pandas as pd
        from scikit_posthocs import critical_difference_diagram as draw

    ranks = result.average_ranks.sort_values(kind="stable")
    pvalues = result.pvalues.loc[ranks.index, ranks.index].to_numpy(copy=True)
    np.fill_diagonal(pvalues, 1.0)  # by definition, except for rounding
    k = len(ranks)
    # Numbers replace names: scikit-posthocs iterates over sets, whose order is fixed only for integers.
    artists = draw(
        pd.Series(ranks.to_numpy()),
        pd.DataFrame(pvalues),
        alpha=result.alpha,
        ax=ax,
        label_fmt_left="{label}",
        label_fmt_right="{label}",
        color_palette=[colors[name] if colors else PALETTE[i % len(PALETTE)] for i, name in enumerate(ranks.index)],
        label_props={"fontsize": 9},
        marker_props={"s": 22, "clip_on": False},
        elbow_props={"linewidth": 1.0, "clip_on": False},
        crossbar_props={"linewidth": 3.0, "color": "#444444", "solid_capstyle": "round"},
        text_h_margin=0.015 * k,
    )
    for text in artists["labels"]:
        i = int(text.get_text())
        rank = f"({ranks.iloc[i]:.2f})"
        name = ranks.index[i]
        text.set_text(f"{name} {rank}" if text.get_horizontalalignment() == "right" else f"{rank} {name}")
        text.set_color("#222222")
    ax.grid(False)
    ax.spines["top"].set_visible(True)
    ax.set_xlim(1.0, k)
    ax.set_xticks(range(1, k + 1))
    _draw_cd_bar(ax, result.critical_difference, k)


def _draw_cd_bar(ax: Axes, critical_difference: float, n_methods: int) -> None:
    """Draw a bar as long as the critical difference above the axis, cut at the length of the axis."""
    from matplotlib.transforms import ScaledTranslation

    figure = ax.get_figure()
    above = ax.transData + ScaledTranslation(0.0, 26.0 / 72.0, figure.dpi_scale_trans)  # type: ignore[union-attr]
    longest = n_methods - 1.0
    end = 1.0 + min(critical_difference, longest)
    look = {"color": "#222222", "clip_on": False, "transform": above}
    ax.plot([1.0, end], [0.0, 0.0], linewidth=1.4, marker="|", markersize=7, markeredgewidth=1.4, **look)  # type: ignore[arg-type]
    beyond = "" if critical_difference <= longest else ", more than the axis"
    text = ax.text(
        0.5 * (1.0 + end),
        0.0,
        f"CD = {critical_difference:.2f}{beyond}",
        ha="center",
        va="bottom",
        fontsize=9,
        transform=above + ScaledTranslation(0.0, 4.0 / 72.0, figure.dpi_scale_trans),  # type: ignore[union-attr]
    )
    text.set_clip_on(False)
