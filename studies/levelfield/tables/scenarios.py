"""What the wrong scenario costs: learners that assume it, compared with the same learners on the same data that do not."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pulab.tables import Results, Table
from pulab.tables.numerals import p_text
from pulib.statistics import holm, paired_wilcoxon
from studies.levelfield.field import (
    METRICS,
    Field,
    cell,
    difference,
    over_tasks,
    sorted_rows,
    summary_cell,
    table_of,
)
from studies.levelfield.levels import SWITCHED

LEGEND = (
    "Means over tasks with 95% bootstrap intervals; {repeats}. Right: the learner assumes the data's scenario; wrong: it "
    "assumes the other one; cost: right minus wrong, in points, with p of Wilcoxon's test over tasks after Holm's correction "
    "over the column. Methods without a scenario parameter are left out."
)


def scenario_table(results: Results, metric: str) -> Table:
    """A row per learner: its scores with either scenario, and the difference."""
    settings = [*SWITCHED, *(entry.reference for entry in SWITCHED.values())]
    field = Field.of(results, settings, [metric])
    cells: list[dict[str, Any]] = []
    there = [m for setting in SWITCHED for m in field.scores(setting, metric).columns]
    for switched, entry in SWITCHED.items():
        right, wrong = (field.scores(s, metric) for s in (entry.reference, switched))
        cost = difference(right, wrong)
        tests = scenario_tests(cost)
        found = {"right": over_tasks(right), "wrong": over_tasks(wrong), "cost": over_tasks(cost)}
        for method in sorted_rows(field, field.ranking(entry.reference, metric), right.columns):
            if method not in there and method in field.ranked([method]):
                continue
            row = field.label(method)
            for name, part in found.items():
                if name == "right" or method in part.index:
                    cells.append(summary_cell(row, f"{name}, {entry.label}", part, method, with_sign=name == "cost"))
            if method in tests.index:
                cells.append(cell(row, f"p, {entry.label}", p_text(tests[method]), tests[method], tasks=len(cost)))
    words = f"{METRICS[metric]} in percent."
    return table_of(cells, field, legend=f"{words[0].upper()}{words[1:]} {LEGEND}", metric=metric)


def scenario_tests(cost: pd.DataFrame) -> pd.Series:
    """p of Wilcoxon's test that nothing is lost, by method, after Holm's correction."""
    pvalues = [paired_wilcoxon(cost[m].dropna(), 0.0 * cost[m].dropna()).pvalue for m in cost]
    return pd.Series(holm(pvalues), index=cost.columns)
