"""The field at a glance: every learner's mean rank in each ranking, its accuracy, its time and its class."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from pulab.tables.inputs import Cell, Inputs, Paths, Spec
from studies.levelfield.tables.costs import seconds
from studies.levelfield.field import METRICS, Field, Ranking, cell, left_out_note, write_cells
from pulab.trials.artifacts import Artifact, Setting

#: Behind a mean rank that is not significantly behind the best one.
LEVEL = "•"
LEGEND = (
    "Mean ranks over tasks: 1 is best; {level}: not significantly worse than the best one (Nemenyi, 5%). Rows are ordered by "
    "the mean of the ranks. Accuracy: mean over tasks and references, in percent. Seconds: fit and prediction on one thread, "
    "median over tasks. Means over {{repeats}}."
)


class Keys(Artifact):
    metrics: list[str]
    settings: dict[Setting, str]


def render(spec: Spec, inputs: Inputs, paths: Paths) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    settings, metrics = spec["settings"], spec["metrics"]
    field = Field.of(spec, inputs.results, settings, [*metrics, "accuracy"])
    rankings = {
        f"rank by {METRICS[metric]}, {label}": field.ranking(setting, metric)
        for setting, label in settings.items()
        for metric in metrics
    }
    rankings = {name: ranking for name, ranking in rankings.items() if ranking.there}
    ranks = pd.DataFrame({name: ranking.ranks for name, ranking in rankings.items()}).dropna()
    ranks = ranks.loc[ranks.mean(axis=1).sort_values(kind="stable").index]
    times = {setting: seconds(inputs.timings, setting) for setting in settings}
    cells = [
        part
        for method in ranks.index
        for part in [
            cell(field.label(method), "class", spec["classes"].get(method, "")),
            *(_rank_cell(field, method, name, ranking) for name, ranking in rankings.items()),
            _accuracy_cell(field, method, settings),
            _seconds_cell(field, method, times),
        ]
    ]
    write_cells(
        spec,
        cells,
        paths,
        repeats=field.repeats,
        legend=LEGEND.format(level=LEVEL),
        remarks=left_out_note(rankings),
    )


def _rank_cell(field: Field, method: str, name: str, ranking: Ranking) -> Cell:
    """A mean rank; ``low`` and ``high`` are the best one, and the first that is significantly worse."""
    rank, best = ranking.ranks[method], ranking.ranks.iloc[0]
    worse = best + ranking.test.critical_difference
    text = f"{rank:.2f} {LEVEL}" if rank < worse else f"{rank:.2f}"
    return cell(field.label(method), name, text, rank, low=best, high=worse, tasks=len(ranking.scores))


def _accuracy_cell(field: Field, method: str, settings: Mapping[str, str]) -> Cell:
    found = pd.concat([field.scores(setting, "accuracy")[method] for setting in settings])
    return cell(field.label(method), "accuracy, %", f"{100 * found.mean():.1f}", 100 * found.mean(), tasks=found.count())


def _seconds_cell(field: Field, method: str, times: Mapping[str, pd.DataFrame]) -> Cell:
    own = [t.loc[(method, "fit")] + t.loc[(method, "predict")] for t in times.values() if (method, "fit") in t.index]
    if not own:
        return cell(field.label(method), "seconds", "–")
    found = pd.concat(own).median()
    return cell(field.label(method), "seconds", f"{found:.2g}", found)
