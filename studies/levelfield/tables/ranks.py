"""Who ranks where: means over tasks with intervals, mean ranks, and significant wins and losses, by setting."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pulab.tables import Results, Table
from studies.levelfield.field import (
    LEAST_SHARE,
    METRICS,
    Field,
    Ranking,
    absent_cells,
    cell,
    left_out_note,
    over_tasks,
    sorted_rows,
    summary_cell,
    table_of,
)
from studies.levelfield.levels import REFERENCES

LEGEND = (
    "Means over tasks of means over {repeats}, with 95% bootstrap intervals over tasks in brackets. Ranks (1 is best) are "
    "over the learners and the tasks that all of them share. Wins and losses against other learners are by Wilcoxon's test "
    "(two-sided, 5% after Holm's correction over all pairs). Ceilings and trivial classifiers are not ranked."
)


def rank_table(results: Results, metric: str, share: float = LEAST_SHARE) -> Table:
    """A row per method; learners with fewer than ``share`` of the tasks are left out."""
    field = Field.of(results, REFERENCES, [metric])
    rankings = {label: field.ranking(setting, metric, share) for setting, label in REFERENCES.items()}
    first = next((ranking for ranking in rankings.values() if ranking.there), next(iter(rankings.values())))
    methods = sorted_rows(field, first, field.table.columns)
    found = {}
    for setting, label in REFERENCES.items():
        scores = field.scores(setting, metric)
        # where tasks are left out rather than methods, means are those of the tasks that are left
        found[label] = over_tasks(scores if share == LEAST_SHARE else scores.loc[rankings[label].scores.index])
    firsts = {label: first_places(ranking.scores) for label, ranking in rankings.items()}
    cells = [
        part
        for method in methods
        for label, ranking in rankings.items()
        for part in _cells(field, method, label, METRICS[metric], found[label], ranking, firsts[label])
    ]
    cells += absent_cells(field, (f"{METRICS[metric]}, {label}" for label in rankings))
    remarks = [f"{label}: {ranking.summary()}." for label, ranking in rankings.items()]
    return table_of(cells, field, legend=LEGEND, remarks=remarks + left_out_note(rankings), metric=metric)


def _cells(
    field: Field, method: str, label: str, metric: str, found: pd.DataFrame, ranking: Ranking, firsts: pd.Series
) -> list[dict[str, Any]]:
    row = field.label(method)
    cells = [summary_cell(row, f"{metric}, {label}", found, method)]
    if method not in ranking.ranks.index:
        empty = "–" if field.role(method) in ("ceiling", "trivial") else ""
        return [*cells, *(cell(row, f"{name}, {label}", empty) for name in ("mean rank", "wins–losses", "first on"))]
    wins, losses = int(ranking.pairs.wins[method]), int(ranking.pairs.losses[method])
    tasks = len(ranking.scores)
    return [
        *cells,
        cell(row, f"mean rank, {label}", f"{ranking.ranks[method]:.2f}", ranking.ranks[method], tasks=tasks),
        cell(row, f"wins–losses, {label}", f"{wins}–{losses}", wins - losses, tasks=tasks),
        cell(row, f"first on, {label}", f"{firsts[method]:.3g}", firsts[method], tasks=tasks),
    ]


def first_places(scores: pd.DataFrame) -> pd.Series:
    """On how many tasks each method has the best score, ties shared.

    >>> first_places(pd.DataFrame({"a": [0.9, 0.8], "b": [0.9, 0.7]})).to_dict()
    {'a': 1.5, 'b': 0.5}
    """
    best = scores.eq(scores.max(axis=1), axis=0)
    return best.div(best.sum(axis=1), axis=0).sum()
