"""The best-ranked learner against each other one: differences, Wilcoxon's test with Holm's correction, and a Bayesian test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulab.tables import Results, Table
from pulab.tables.numerals import p_text
from pulib.statistics import bayesian_signed_rank
from studies.levelfield.field import Field, Ranking, cell, left_out_note, not_run, over_tasks, summary_cell, table_of
from studies.levelfield.levels import REFERENCES

#: Points that do not matter.
ROPE = 0.01
LEGEND = (
    "The best-ranked learner's score minus the row's, in points, with a 95% bootstrap interval over tasks (means over "
    "{repeats}); p of Wilcoxon's test (two-sided, after Holm's correction over all pairs of learners); and the posterior "
    "probabilities that the best-ranked learner is better, equivalent, or worse (Bayesian signed-rank test with a region of "
    "practical equivalence of one point)."
)


def pair_table(results: Results, metric: str) -> Table:
    """A row per learner, with its distance from the best-ranked one in each reference."""
    field = Field.of(results, REFERENCES, [metric])
    rankings = {label: field.ranking(setting, metric) for setting, label in REFERENCES.items()}
    cells, remarks = [], []
    compared = {label: against_the_best(ranking) for label, ranking in rankings.items()}
    first = next((ranking for ranking in rankings.values() if ranking.there), next(iter(rankings.values())))
    for method in first.order:
        for label, ranking in rankings.items():
            cells += _cells(field, method, label, ranking, compared[label])
    for setting, label in REFERENCES.items():
        ranking = rankings[label]
        if not ranking.there:
            continue
        remarks.append(f"{label}: the best-ranked learner is {field.label(ranking.order[0])}; {ranking.summary()}.")
        scores = field.scores(setting, metric).loc[ranking.scores.index]
        others = scores.drop(columns=field.ranked(scores.columns))
        found = over_tasks(-others.sub(scores[ranking.order[0]], axis=0))
        cells += [summary_cell(field.label(m), f"difference, {label}", found, m, with_sign=True) for m in others]
    return table_of(cells, field, legend=LEGEND, remarks=remarks + left_out_note(rankings), metric=metric)


def against_the_best(ranking: Ranking) -> dict[str, tuple[float, float, float]]:
    """Posterior probabilities that the best-ranked method is better than each other one, the same, and worse."""
    if not ranking.there:
        return {}
    best, *others = ranking.order
    return {m: bayesian_signed_rank(ranking.scores[best], ranking.scores[m], rope=ROPE) for m in others}


def _cells(
    field: Field, method: str, label: str, ranking: Ranking, compared: Mapping[str, tuple[float, float, float]]
) -> list[dict[str, Any]]:
    row, columns = field.label(method), [f"{name}, {label}" for name in ("difference", "p", "better / same / worse")]
    if method not in compared:
        text = "the best-ranked" if ranking.there and method == ranking.order[0] else ""
        return [cell(row, columns[0], text) if text else not_run(row, columns[0]), *(cell(row, c, "") for c in columns[1:])]
    best, tasks = ranking.order[0], len(ranking.scores)
    difference = over_tasks((ranking.scores[best] - ranking.scores[method]).to_frame(method))
    p, probabilities = float(ranking.pairs.pvalues.loc[best, method]), compared[method]
    return [
        summary_cell(row, columns[0], difference, method, with_sign=True),
        cell(row, columns[1], p_text(p), p, tasks=tasks),
        cell(row, columns[2], " / ".join(f"{q:.2f}" for q in probabilities), probabilities[0], tasks=tasks),
    ]
