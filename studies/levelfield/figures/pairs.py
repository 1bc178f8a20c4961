"""The best-ranked learner against every other one: a forest plot per setting and metric."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure

from pulab.figures.labels import quoted
from pulab.figures.panels import make_page
from pulab.tables import Results
from pulab.tables.sentences import Range, between, sentence_case
from studies.levelfield.drawing import draw_intervals, leave_room_for_names, name_rows
from studies.levelfield.field import METRICS, Field, Ranking, over_tasks
from studies.levelfield.levels import MEASURES, REFERENCES


def draw_pairs(results: Results) -> Figure:
    """A panel per setting and metric, a row per learner."""
    field = Field.of(results, REFERENCES, MEASURES)
    places = {(s, m): field.ranking(s, m) for s in REFERENCES for m in MEASURES}
    places = {place: ranking for place, ranking in places.items() if ranking.there}
    order = list(dict.fromkeys(method for ranking in places.values() for method in ranking.order))
    titles = [f"{REFERENCES[setting]}\n{METRICS[metric]}" for setting, metric in places]
    page = make_page(
        titles, note=_note(field, places) if places else "", heading=_finding(field, places) if places else "",
        shape=(1, max(len(places), 1)), row_height=1.0 + 0.16 * max(len(order), 3), title_size=8, sharex=True, sharey=True,
    )  # fmt: skip
    leave_room_for_names(page.fig)
    for k, (ax, ranking) in enumerate(zip(page.axes, places.values(), strict=True)):
        best, others = ranking.order[0], ranking.scores
        ahead = over_tasks(-others.sub(others[best], axis=0).drop(columns=best)).reindex(order)
        p = ranking.pairs.pvalues[best].reindex(order)
        draw_intervals(ax, ahead, hollow=list(~(p < ranking.pairs.alpha)))
        name_rows(ax, [field.label(m) for m in order])
        ax.tick_params(axis="y", labelsize=7, labelleft=k == 0)
        ax.set_xlabel("points ahead")
    return page.fig


def _finding(field: Field, places: Mapping[tuple[str, str], Ranking]) -> str:
    best = {ranking.order[0] for ranking in places.values()}
    first = next(iter(best))
    name = sentence_case(quoted(field.label(first))) if len(best) == 1 else "The best-ranked learner"
    beaten = []
    for ranking in places.values():
        first = ranking.order[0]
        ahead = ranking.scores.mean() < ranking.scores[first].mean()
        beaten.append(int((ahead & (ranking.pairs.pvalues[first] < ranking.pairs.alpha)).sum()))
    others = [len(ranking.order) - 1 for ranking in places.values()]
    return f"{name} is significantly ahead of {between(Range.of(beaten))} of {between(Range.of(others))} other learners"


def _note(field: Field, places: Mapping[tuple[str, str], Ranking]) -> str:
    names = {place: field.label(ranking.order[0]) for place, ranking in places.items()}
    who = next(iter(names.values())) if len(set(names.values())) == 1 else "; ".join(dict.fromkeys(names.values()))
    n = between(Range.of([len(ranking.scores) for ranking in places.values()]))
    return (
        f"Best-ranked learner ({who}) minus each other one, in points: means over {n} tasks with 95% "
        f"bootstrap intervals. "
        "Filled: significant at 5% by Wilcoxon's test after Holm's correction over all pairs."
    )
