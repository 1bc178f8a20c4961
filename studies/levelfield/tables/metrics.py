"""All that is measured at defaults in one setting: means over tasks by method and metric."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pulab.tables import Results, Table
from studies.levelfield.field import METRICS, Field, absent_cells, not_run, over_tasks, sorted_rows, summary_cell, table_of

SHOWN = ("accuracy", "balanced_accuracy", "f1", "auc", "average_precision", "brier", "calibration_error")
#: The share of rows predicted positive, over π.
SHARE = "share predicted positive, over π"
LEGEND = (
    "In percent: means over tasks of means over {repeats}, with 95% bootstrap intervals over tasks. Brier score and expected "
    "calibration error (ten bins) of methods with probabilities: lower is better. The ideal share predicted positive is 100."
)


def metric_table(results: Results, setting: str) -> Table:
    """Methods by metrics."""
    field = Field.of(results, [setting], [*SHOWN, "share_positive", "prior_true", "prior_given"])
    tables = {METRICS[metric]: field.scores(setting, metric) for metric in SHOWN}
    tables = {name: table for name, table in tables.items() if len(table)}
    share, prior = field.scores(setting, "share_positive"), field.scores(setting, "prior_true")
    prior = prior if len(prior) else field.scores(setting, "prior_given")
    tables[SHARE] = (share / prior) if len(share) and len(prior) else pd.DataFrame()
    found = {name: over_tasks(table) for name, table in tables.items()}
    cells: list[dict[str, Any]] = []
    methods = field.table.columns
    for method in sorted_rows(field, field.ranking(setting, SHOWN[0]), methods):
        for name, part in found.items():
            cells.append(
                summary_cell(field.label(method), name, part, method) if method in part.index else _none(field, method, name)
            )
    cells += absent_cells(field, [next(iter(tables))])
    return table_of(cells, field, legend=LEGEND, setting=setting)


def _none(field: Field, method: str, name: str) -> dict[str, Any]:
    return {**not_run(field.label(method), name), "status": "ok", "mark": "–"}
