"""What tuning without negatives gains over defaults, and loses against tuning with the truth, by criterion."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from pulab.tables.inputs import Cell, Inputs, Paths, Spec
from studies.levelfield.field import METRICS, Field, over_tasks, sorted_rows, summary_cell, write_cells
from pulab.trials.artifacts import Artifact, Setting

CRITERIA = ("proxy_accuracy", "proxy_auc", "pu_score", "pu_risk", "oracle")
#: Of the mean over methods, a row like any other.
ALL = "mean over methods"
LEGEND = (
    "Points of {metric}: means over tasks with 95% bootstrap intervals ({{repeats}}). Gain: compared with the defaults; loss: "
    "compared with the oracle, which uses the true labels of the same held-out rows. Grids are small and always include the "
    "defaults."
)


class Keys(Artifact):
    metric: str
    setting: Setting
    reference: Setting


def render(spec: Spec, inputs: Inputs, paths: Paths) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    metric = spec["metric"]
    field, tuned = tuned_scores(spec, inputs.results, metric)
    found = {name: over_tasks(gains) for name, gains in gains_and_losses(tuned).items()}
    defaults = tuned.get("none", pd.DataFrame())
    base = {**found, f"{METRICS[metric]}, defaults": over_tasks(defaults)} if len(defaults) else found
    reference = field.scores(spec["reference"], metric)
    shown = over_tasks(reference.loc[reference.index.intersection(defaults.index)] if len(defaults) else reference)
    cells: list[Cell] = []
    methods = sorted_rows(
        field, field.ranking(spec["reference"], metric), reference.columns.union(defaults.columns, sort=False)
    )
    tuned_methods = [m for m in methods if m in defaults.columns]
    for method in [*tuned_methods, *([ALL] if tuned_methods else [])]:
        names = [f"{METRICS[metric]}, defaults"] * (method != ALL) + list(found)
        cells += [summary_cell(field.label(method), name, base[name], method, signed=name in found) for name in names]
    for method in (m for m in methods if m not in field.ranked(methods)):
        cells.append(summary_cell(field.label(method), f"{METRICS[metric]}, defaults", shown, method))
    write_cells(spec, cells, paths, repeats=field.repeats, legend=LEGEND.format(metric=METRICS[metric]))


def tuned_scores(spec: Spec, tidy: pd.DataFrame, metric: str) -> tuple[Field, dict[str, pd.DataFrame]]:
    """Scores by criterion, tasks by methods; and the field that they come from, with the reference's scores in it."""
    names = {criterion: f"{metric}_{criterion}" for criterion in ("none", *CRITERIA)}
    field = Field.of(spec, tidy, [spec["setting"], spec["reference"]], [metric, *names.values()])
    scores = {criterion: field.scores(spec["setting"], name) for criterion, name in names.items()}
    return field, {criterion: table for criterion, table in scores.items() if len(table)}


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
