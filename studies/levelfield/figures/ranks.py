"""Mean ranks of the level field's learners: a row per learner, a mark per setting and metric."""

from __future__ import annotations

from itertools import product
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from pulab.figures.panels import make_page
from pulab.figures.style import INK, MUTED
from pulab.tables import Results
from pulab.tables.sentences import Range, between
from studies.levelfield.drawing import best_ranked, leave_room_for_names, name_rows
from studies.levelfield.field import METRICS, Field
from studies.levelfield.levels import MEASURES, REFERENCES

#: Markers by metric, colors by setting.
_MARKERS, _COLORS = "o^sv", (INK, "#B07A00", MUTED)


def draw_ranks(results: Results) -> Figure:
    """Learners from the best mean rank over all settings and metrics on."""
    field = Field.of(results, REFERENCES, MEASURES)
    styles = dict(zip(product(REFERENCES, MEASURES), product(_COLORS, _MARKERS[: len(MEASURES)]), strict=False))
    rankings = {place: field.ranking(*place) for place in styles}
    rankings = {place: ranking for place, ranking in rankings.items() if ranking.there}
    ranks = pd.DataFrame({place: ranking.ranks for place, ranking in rankings.items()})
    order = ranks.mean(axis=1).sort_values(kind="stable").index
    left_out = sorted({name for ranking in rankings.values() for name in ranking.left_out})
    page = make_page(
        [""] if rankings else [],
        heading=best_ranked(field, list(rankings.values())) if rankings else "",
        note=_note(field, [len(ranking.scores) for ranking in rankings.values()], left_out) if rankings else "",
        row_height=0.9 + 0.21 * max(len(order), 3),
    )  # fmt: skip
    leave_room_for_names(page.fig)
    for ax in page.axes:
        for number, (place, ranking) in enumerate(rankings.items()):
            color, marker = styles[place]
            shift = 0.16 * (number - (len(rankings) - 1) / 2)  # equal ranks stay visible
            test = ranking.test
            beaten = ranking.ranks - ranking.ranks.min() > test.critical_difference
            for k, method in enumerate(order):
                if method in ranking.ranks.index:
                    face = "white" if beaten[method] else color
                    style: dict[str, Any] = {
                        "marker": marker,
                        "color": color,
                        "mfc": face,
                        "markersize": 4.5,
                        "linestyle": "none",
                    }
                    ax.plot([ranking.ranks[method]], [k + shift], **style)
        name_rows(ax, [field.label(m) for m in order], zero=False)
        ax.grid(axis="y", visible=True)
        ax.set(xlim=(0.5, len(order) + 0.5), xlabel="mean rank (1 is best)")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    handles = [
        Line2D([], [], color=color, marker=marker, linestyle="none", label=f"{REFERENCES[setting]}, {METRICS[metric]}")
        for (setting, metric), (color, marker) in styles.items()
        if (setting, metric) in rankings
    ]
    page.add_legend(handles)
    return page.fig


def _note(field: Field, sizes: list[int], left_out: list[str]) -> str:
    note = (
        f"Mean ranks over {between(Range.of(sizes))} tasks. Hollow: behind the best of the ranking by more than "
        "Nemenyi's critical difference (5%)."
    )
    return note + (f" Not ranked, for lack of numbers: {'; '.join(left_out)}." if left_out else "")
