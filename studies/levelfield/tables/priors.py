"""What an estimated π costs against the true one, by estimator: its error, and the accuracy that methods lose by it."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from pulab.tables.inputs import Cell, Inputs, Paths, Spec
from studies.levelfield.field import Field, cell, difference, not_run, over_tasks, p_text, summary_cell, write_cells
from pulab.trials.artifacts import Artifact, Setting
from pulib.statistics import paired_wilcoxon

LEGEND = (
    "Means over tasks with 95% bootstrap intervals; {repeats}. Error: estimated minus true π, in points, absolute and signed. "
    "Cost: points of accuracy lost compared with the same learners given the true π, on average with p of Wilcoxon's test "
    "over tasks, then by learner."
)


class Keys(Artifact):
    reference: Setting
    estimators: dict[Setting, str]


def render(spec: Spec, inputs: Inputs, paths: Paths) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    reference = spec["reference"]
    field = Field.of(spec, inputs.results, [reference, *spec["estimators"]], ["accuracy", "auc"])
    errors = prior_errors(inputs.results, spec["estimators"])
    cells: list[Cell] = []
    for setting, label in spec["estimators"].items():
        lost = difference(field.scores(reference, "accuracy"), field.scores(setting, "accuracy"))
        lost = lost[field.ranked(lost.columns)]
        if lost.empty or setting not in errors:
            cells.append(not_run(label, "error without sign"))
            continue
        off = pd.DataFrame({"error without sign": errors[setting].abs(), "error": errors[setting]})
        found = over_tasks(off)
        cells += [summary_cell(label, "error without sign", found, "error without sign")]
        cells += [summary_cell(label, "error", found, "error", signed=True)]
        mean = lost.mean(axis=1).rename("cost")
        cells.append(summary_cell(label, "cost in accuracy", over_tasks(mean.to_frame()), "cost", signed=True))
        p = paired_wilcoxon(mean, 0.0 * mean).pvalue
        cells.append(cell(label, "p", p_text(p), p, tasks=len(mean)))
        each = over_tasks(lost)
        cells += [summary_cell(label, f"cost, {field.label(m)}", each, m, signed=True) for m in lost]
    write_cells(spec, cells, paths, repeats=field.repeats, legend=LEGEND)


def prior_errors(tidy: pd.DataFrame, settings: Mapping[str, str]) -> dict[str, pd.Series]:
    """Per setting the mean of the given minus the true π, by task."""
    wanted = (
        tidy["setting"].isin(list(settings)) & tidy["metric"].isin(["prior_given", "prior_true"]) & (tidy["status"] == "ok")
    )
    # all methods of a repeat are given the same
    each = tidy[wanted].groupby(["setting", "dataset", "repeat", "metric"], observed=True)["value"].first().unstack("metric")
    if each.empty or each.shape[1] < 2:
        return {}
    off = (each["prior_given"] - each["prior_true"]).groupby(level=["setting", "dataset"]).mean()
    return {str(setting): part.droplevel("setting") for setting, part in off.groupby(level="setting")}
