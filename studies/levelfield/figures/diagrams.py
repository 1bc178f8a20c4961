"""For the appendix: critical-difference diagrams of the level field, one per setting and metric."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from matplotlib.figure import Figure

from pulab.figures.panels import make_sheet, say_nothing_to_draw
from pulab.figures.style import INK
from pulab.tables import Results
from pulib.plots import PAGE, critical_difference_diagram
from studies.levelfield.drawing import best_ranked
from studies.levelfield.field import METRICS, Field
from studies.levelfield.levels import MEASURES, REFERENCES

#: Ranks on an axis, from which on every second one is numbered.
MOST_TICKS = 14
#: Inches above an axis: its numbers, the critical difference, and the title.
ABOVE = 0.85
#: Inches of the figure's own title.
TITLE = 0.35


def draw_diagrams(results: Results) -> Figure:
    """A diagram per setting and metric, one below the other."""
    field = Field.of(results, REFERENCES, MEASURES)
    places = [(setting, metric) for setting in REFERENCES for metric in MEASURES]
    rankings = [field.ranking(*place) for place in places]
    heights = [1.25 + 0.16 * (len(ranking.order) // 2) for ranking in rankings]
    left_out = sorted({name for ranking in rankings for name in ranking.left_out})
    note = f"Not compared, for lack of numbers: {'; '.join(left_out)}." if left_out else ""
    ranked = [ranking for ranking in rankings if ranking.there]
    fig, body = make_sheet(sum(heights) + TITLE, note, best_ranked(field, ranked) if ranked else "", width=1.2 * PAGE)
    fig.set_layout_engine("none")  # labels beside an axis get the room that they need, which a layout engine misjudges
    rows, total = len(places), sum(heights) + TITLE
    space = {"top": 1 - (ABOVE + TITLE) / total, "bottom": 0.02, "hspace": ABOVE * rows / (total - TITLE - ABOVE * rows)}
    grid = {"left": 0.3, "right": 0.7, **space}
    axes = body.subplots(rows, 1, squeeze=False, height_ratios=heights, gridspec_kw=grid)[:, 0]
    for ax, (setting, metric), ranking in zip(axes, places, rankings, strict=True):
        title = f"{REFERENCES[setting]}, {METRICS[metric]}"
        if not ranking.there:
            say_nothing_to_draw(ax)
            ax.set_title(f"{title}: {ranking.summary()}", fontsize=9, loc="left")
            continue
        colors = dict.fromkeys(map(field.label, ranking.order), INK)
        named = _named(ranking.test, field)
        critical_difference_diagram(named, ax, colors=colors)
        if len(ranking.order) > MOST_TICKS:
            ax.set_xticks(range(1, len(ranking.order) + 1, 2))
        for text in ax.texts:
            if text.get_fontsize() == 9 and not text.get_text().startswith("CD"):
                text.set_fontsize(7)
        p = "< 0.001" if named.f_pvalue < 0.001 else f"= {named.f_pvalue:.2g}"
        named_title = f"{title}: {named.n_datasets} tasks, Friedman's F test, p {p}"
        ax.set_title(named_title, fontsize=9, pad=44, loc="left", x=-0.7)
    return fig


def _named(test: Any, field: Field) -> Any:
    """The test with methods under the names that people read."""
    ranks = test.average_ranks.rename(field.label)
    return replace(test, average_ranks=ranks, pvalues=test.pvalues.rename(index=field.label, columns=field.label))
