"""What an estimated π costs against the true one, by estimator: its error, and the accuracy that methods lose by it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pulab.tables import Results, Table
from pulab.tables.numerals import p_text
from pulib.statistics import paired_wilcoxon
from studies.levelfield.field import Field, cell, difference, not_run, over_tasks, summary_cell, table_of
from studies.levelfield.levels import ESTIMATED, MEASURES

LEGEND = (
    "Means over tasks with 95% bootstrap intervals; {repeats}. Error: estimated minus true π, in points, absolute and signed. "
    "Cost: points of accuracy lost compared with the same learners given the true π, on average with p of Wilcoxon's test "
    "over tasks, then by learner."
)


def prior_table(results: Results) -> Table:
    """A row per estimator: how far it is off, and what that costs."""
    reference = "two_sample"
    field = Field.of(results, [reference, *ESTIMATED], MEASURES)
    errors = prior_errors(results.tidy, ESTIMATED)
    cells: list[dict[str, Any]] = []
    for setting, label in ESTIMATED.items():
        lost = difference(field.scores(reference, "accuracy"), field.scores(setting, "accuracy"))
        lost = lost[field.ranked(lost.columns)]
        if lost.empty or setting not in errors:
            cells.append(not_run(label, "error without sign"))
            continue
        off = pd.DataFrame({"error without sign": errors[setting].abs(), "error": errors[setting]})
        found = over_tasks(off)
        cells += [summary_cell(label, "error without sign", found, "error without sign")]
        cells += [summary_cell(label, "error", found, "error", with_sign=True)]
        mean = lost.mean(axis=1).rename("cost")
        cells.append(summary_cell(label, "cost in accuracy", over_tasks(mean.to_frame()), "cost", with_sign=True))
        p = paired_wilcoxon(mean, 0.0 * mean).pvalue
        cells.append(cell(label, "p", p_text(p), p, tasks=len(mean)))
        each = over_tasks(lost)
        cells += [summary_cell(label, f"cost, {field.label(m)}", each, m, with_sign=True) for m in lost]
    return table_of(cells, field, legend=LEGEND)


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
