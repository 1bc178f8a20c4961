"""What varies in steps: scores, or what is lost against a reference, by method and step; and the labels that each needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pulab.tables import Results, Table
from studies.levelfield.field import (
    METRICS,
    Field,
    absent_cells,
    cell,
    difference,
    over_tasks,
    sorted_rows,
    summary_cell,
    table_of,
)
from studies.levelfield.levels import REFERENCES

SCORES = "{metric} in percent: means over tasks of means over {{repeats}}, with 95% bootstrap intervals over tasks."
LOSSES = (
    "Points of {metric} lost compared with {reference}: means over tasks (and {{repeats}}), with 95% bootstrap intervals over "
    "tasks."
)


def score_table(
    results: Results, metric: str, reference: str, levels: Mapping[str, str], *, share_of_ceiling: float | None = None
) -> Table:
    """Scores at each level (setting to what its column is called), after those in the reference.

    ``share_of_ceiling`` adds the least level with this share of the method's own best.
    """
    return _level_table(results, metric, reference, levels, lost=False, share_of_ceiling=share_of_ceiling)


def loss_table(results: Results, metric: str, reference: str, levels: Mapping[str, str]) -> Table:
    """Scores in the reference, and what is lost against them at each level."""
    return _level_table(results, metric, reference, levels, lost=True)


def _level_table(
    results: Results,
    metric: str,
    reference: str,
    levels: Mapping[str, str],
    *,
    lost: bool,
    share_of_ceiling: float | None = None,
) -> Table:
    name = REFERENCES[reference]
    field = Field.of(results, [*levels, reference], [metric])
    shown = {setting: level_values(field, setting, metric, reference if lost else "") for setting in levels}
    found = {setting: over_tasks(values) for setting, values in shown.items()}
    of_reference = over_tasks(field.scores(reference, metric))
    cells = []
    for method in sorted_rows(field, field.ranking(reference, metric), field.table.columns):
        row = field.label(method)
        cells.append(summary_cell(row, f"{METRICS[metric]}, {name}", of_reference, method))
        for setting, label in levels.items():
            if setting == reference or (method not in found[setting].index and method not in field.ranked([method])):
                continue
            column = f"{label} ({len(shown[setting])} tasks)" if len(shown[setting]) else str(label)
            cells.append(summary_cell(row, column, found[setting], method, with_sign=lost))
        if share_of_ceiling and method in field.ranked([method]):
            cells.append(_needed_cell(field, method, levels, metric, share_of_ceiling))
    cells += absent_cells(field, [f"{METRICS[metric]}, {name}"])
    legend = (LOSSES if lost else SCORES).format(metric=METRICS[metric], reference=name)
    return table_of(cells, field, legend=legend, metric=metric)


def level_values(field: Field, setting: str, metric: str, reference: str = "") -> pd.DataFrame:
    """Tasks by methods: scores of a setting, or what is lost in it against the reference."""
    scores = field.scores(setting, metric)
    return difference(field.scores(reference, metric), scores) if reference else scores


def labels_needed(field: Field, method: str, levels: Mapping[str, float], metric: str, share: float) -> pd.Series:
    """Per task the least level at which a method has a share of its own best score over all levels of that task."""
    columns = {level: field.scores(setting, metric).get(method) for setting, level in levels.items()}
    known = {level: values for level, values in columns.items() if values is not None}
    table = pd.DataFrame(known).dropna(thresh=2) if known else pd.DataFrame()
    if table.empty:
        return pd.Series(dtype=float)
    reached = table.ge(share * table.max(axis=1), axis=0)
    return reached.idxmax(axis=1).astype(float)


def _needed_cell(field: Field, method: str, levels: Mapping[str, str], metric: str, share: float) -> dict[str, Any]:
    column = f"labels for {share:.0%} of its best: median over tasks (quartiles)"
    numbers = {setting: float(label) for setting, label in levels.items()}
    needed = labels_needed(field, method, numbers, metric, share)
    if needed.empty:
        return cell(field.label(method), column, "–")
    low, median, high = np.quantile(needed, [0.25, 0.5, 0.75], method="inverted_cdf")
    text = f"{median:.0f} ({low:.0f}–{high:.0f})"
    return cell(field.label(method), column, text, float(median), low=float(low), high=float(high), tasks=len(needed))
