"""What the wrong scenario costs: learners that assume it, compared with the same learners on the same data that do not."""

from __future__ import annotations

import pandas as pd

from pulab.tables.inputs import Cell, Inputs, Paths, Spec
from studies.levelfield.field import (
    METRICS,
    Field,
    cell,
    difference,
    over_tasks,
    p_text,
    sorted_rows,
    summary_cell,
    write_cells,
)
from pulab.trials.artifacts import Artifact, Setting, Switched
from pulib.statistics import holm, paired_wilcoxon

LEGEND = (
    "Means over tasks with 95% bootstrap intervals; {repeats}. Right: the learner assumes the data's scenario; wrong: it "
    "assumes the other one; cost: right minus wrong, in points, with p of Wilcoxon's test over tasks after Holm's correction "
    "over the column. Methods without a scenario parameter are left out."
)


class Keys(Artifact):
    metric: str
    switched: dict[Setting, Switched]


def render(spec: Spec, inputs: Inputs, paths: Paths) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes.

    ``switched``: setting with the wrong scenario to ``reference`` (the one with the right one) and ``label``.
    """
    settings = [*spec["switched"], *(entry["reference"] for entry in spec["switched"].values())]
    field = Field.of(spec, inputs.results, settings, [spec["metric"]])
    cells: list[Cell] = []
    there = [m for setting in spec["switched"] for m in field.scores(setting, spec["metric"]).columns]
    for switched, entry in spec["switched"].items():
        right, wrong = (field.scores(s, spec["metric"]) for s in (entry["reference"], switched))
        cost = difference(right, wrong)
        tests = scenario_tests(cost)
        found = {"right": over_tasks(right), "wrong": over_tasks(wrong), "cost": over_tasks(cost)}
        for method in sorted_rows(field, field.ranking(entry["reference"], spec["metric"]), right.columns):
            if method not in there and method in field.ranked([method]):
                continue
            row = field.label(method)
            for name, part in found.items():
                if name == "right" or method in part.index:
                    cells.append(summary_cell(row, f"{name}, {entry['label']}", part, method, signed=name == "cost"))
            if method in tests.index:
                cells.append(cell(row, f"p, {entry['label']}", p_text(tests[method]), tests[method], tasks=len(cost)))
    words = f"{METRICS[spec['metric']]} in percent."
    write_cells(spec, cells, paths, repeats=field.repeats, legend=f"{words[0].upper()}{words[1:]} {LEGEND}")


def scenario_tests(cost: pd.DataFrame) -> pd.Series:
    """p of Wilcoxon's test that nothing is lost, by method, after Holm's correction."""
    pvalues = [paired_wilcoxon(cost[m].dropna(), 0.0 * cost[m].dropna()).pvalue for m in cost]
    return pd.Series(holm(pvalues), index=cost.columns)
