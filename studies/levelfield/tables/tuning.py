"""What tuning without negatives gains over defaults, and loses against tuning with the truth, by criterion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pulab.tables import Results, Table
from studies.levelfield.field import METRICS, Field, over_tasks, sorted_rows, summary_cell, table_of

CRITERIA = ("proxy_accuracy", "proxy_auc", "pu_score", "pu_risk", "oracle")
TUNING, REFERENCE = "tuning", "two_sample"
#: Of the mean over methods, a row like any other.
ALL = "mean over methods"
LEGEND = (
    "Points of {metric}: means over tasks with 95% bootstrap intervals ({{repeats}}). Gain: compared with the defaults; loss: "
    "compared with the oracle, which uses the true labels of the same held-out rows. Grids are small and always include the "
    "defaults."
)


def tuning_table(results: Results, metric: str) -> Table:
    """A row per learner: its score at defaults, and what each criterion gains and loses."""
    field = tuned_field(results, metric)
    tuned = tuned_scores(field, metric)
    found = {name: over_tasks(gains) for name, gains in gains_and_losses(tuned).items()}
    defaults = tuned.get("none", pd.DataFrame())
    base = {**found, f"{METRICS[metric]}, defaults": over_tasks(defaults)} if len(defaults) else found
    reference = field.scores(REFERENCE, metric)
    shown = over_tasks(reference.loc[reference.index.intersection(defaults.index)] if len(defaults) else reference)
    cells: list[dict[str, Any]] = []
    methods = sorted_rows(field, field.ranking(REFERENCE, metric), reference.columns.union(defaults.columns, sort=False))
    tuned_methods = [m for m in methods if m in defaults.columns]
    for method in [*tuned_methods, *([ALL] if tuned_methods else [])]:
        names = [f"{METRICS[metric]}, defaults"] * (method != ALL) + list(found)
        cells += [summary_cell(field.label(method), name, base[name], method, with_sign=name in found) for name in names]
    for method in (m for m in methods if m not in field.ranked(methods)):
        cells.append(summary_cell(field.label(method), f"{METRICS[metric]}, defaults", shown, method))
    return table_of(cells, field, legend=LEGEND.format(metric=METRICS[metric]), setting=TUNING, metric=metric)


def tuned_field(results: Results, metric: str) -> Field:
    """Scores of what each criterion chose, and those in the reference."""
    return Field.of(results, [TUNING, REFERENCE], tuned_metrics(metric))


def tuned_metrics(metric: str) -> list[str]:
    """The metric, and that of what each criterion chose."""
    return [metric, *(f"{metric}_{criterion}" for criterion in ("none", *CRITERIA))]


def tuned_scores(field: Field, metric: str) -> dict[str, pd.DataFrame]:
    """Scores by criterion, tasks by methods."""
    scores = {name: field.scores(TUNING, f"{metric}_{name}") for name in ("none", *CRITERIA)}
    return {criterion: table for criterion, table in scores.items() if len(table)}


def gains_and_losses(tuned: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """By "gain, <criterion>" and "loss, <criterion>": tasks by methods, and the mean over methods."""
    if not {"none", "oracle"} <= set(tuned):
        return {}
    there = [name for name in CRITERIA if name in tuned]
    out = {f"gain, {_words(name)}": tuned[name] - tuned["none"] for name in there}
    out |= {f"loss, {_words(name)}": tuned["oracle"] - tuned[name] for name in there if name != "oracle"}
    return {name: table.assign(**{ALL: table.mean(axis=1)}) for name, table in out.items()}


def _words(criterion: str) -> str:
    return METRICS.get(criterion, criterion)
