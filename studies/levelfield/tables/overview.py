"""The field at a glance: every learner's mean rank in each ranking, its accuracy, its time and its class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pulab.tables import Results, Table
from pulab.tables.results import method_class
from studies.levelfield.field import METRICS, Field, Ranking, cell, left_out_note, table_of
from studies.levelfield.levels import MEASURES, REFERENCES
from studies.levelfield.tables.costs import seconds

#: Behind a mean rank that is not significantly behind the best one.
LEVEL = "•"
LEGEND = (
    "Mean ranks over tasks: 1 is best; {level}: not significantly worse than the best one (Nemenyi, 5%). Rows are ordered by "
    "the mean of the ranks. Accuracy: mean over tasks and references, in percent. Seconds: fit and prediction on one thread, "
    "median over tasks. Means over {{repeats}}."
)


def overview_table(results: Results) -> Table:
    """A row per learner: its class, its ranks, its accuracy, its time."""
    settings, metrics = REFERENCES, MEASURES
    field = Field.of(results, settings, metrics)
    rankings = {
        f"rank by {METRICS[metric]}, {label}": field.ranking(setting, metric)
        for setting, label in settings.items()
        for metric in metrics
    }
    rankings = {name: ranking for name, ranking in rankings.items() if ranking.there}
    ranks = pd.DataFrame({name: ranking.ranks for name, ranking in rankings.items()}).dropna()
    ranks = ranks.loc[ranks.mean(axis=1).sort_values(kind="stable").index]
    times = {setting: seconds(results.timings, setting) for setting in settings}
    own = results.study.methods_of(None)  # learners are named as the study has them, not as a preset shortens them
    cells = [
        part
        for method in ranks.index
        for part in [
            cell(field.label(method), "class", method_class(own[method])),
            *(_rank_cell(field, method, name, ranking) for name, ranking in rankings.items()),
            _accuracy_cell(field, method, settings),
            _seconds_cell(field, method, times),
        ]
    ]
    return table_of(cells, field, legend=LEGEND.format(level=LEVEL), remarks=left_out_note(rankings))


def _rank_cell(field: Field, method: str, name: str, ranking: Ranking) -> dict[str, Any]:
    """A mean rank; ``low`` and ``high`` are the best one, and the first that is significantly worse."""
    rank, best = ranking.ranks[method], ranking.ranks.iloc[0]
    worse = best + ranking.test.critical_difference
    text = f"{rank:.2f} {LEVEL}" if rank < worse else f"{rank:.2f}"
    return cell(field.label(method), name, text, rank, low=best, high=worse, tasks=len(ranking.scores))


def _accuracy_cell(field: Field, method: str, settings: Mapping[str, str]) -> dict[str, Any]:
    found = pd.concat([field.scores(setting, "accuracy")[method] for setting in settings])
    return cell(field.label(method), "accuracy, %", f"{100 * found.mean():.1f}", 100 * found.mean(), tasks=found.count())


def _seconds_cell(field: Field, method: str, times: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    own = [t.loc[(method, "fit")] + t.loc[(method, "predict")] for t in times.values() if (method, "fit") in t.index]
    if not own:
        return cell(field.label(method), "seconds", "–")
    found = pd.concat(own).median()
    return cell(field.label(method), "seconds", f"{found:.2g}", found)
