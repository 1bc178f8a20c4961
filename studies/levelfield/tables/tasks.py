"""The cells behind everything: mean over repeats by method and task, in one setting and by one metric."""

from __future__ import annotations

import numpy as np

from pulab.tables.inputs import Inputs, Paths, Spec
from studies.levelfield.field import Field, absent_cells, cell, not_run, sorted_rows, write_cells
from pulab.trials.artifacts import Artifact, Setting

LEGEND = "Means over {repeats}, in percent; standard deviation over repeats in parentheses."


class Keys(Artifact):
    setting: Setting
    metric: str


def render(spec: Spec, inputs: Inputs, paths: Paths) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    setting, metric = spec["setting"], spec["metric"]
    field = Field.of(spec, inputs.results, [setting], [metric])
    scores = field.scores(setting, metric)
    tidy = inputs.results
    rows = tidy[(tidy["setting"] == setting) & (tidy["metric"] == metric) & (tidy["step"] == -1)]
    spreads = rows.groupby(["dataset", "method"], observed=True)["value"].std(ddof=1)
    cells = []
    for method in sorted_rows(field, field.ranking(setting, metric), scores.columns):
        for dataset, value in scores[method].items():
            row, column = field.label(method), field.task(dataset)
            spread = spreads.get((dataset, method), np.nan)
            text = f"{100 * value:.1f}" + ("" if np.isnan(spread) else f" ({100 * spread:.1f})")
            cells.append(not_run(row, column) if np.isnan(value) else cell(row, column, text, 100 * value, tasks=1))
    cells += absent_cells(field, map(field.task, scores.index))
    write_cells(spec, cells, paths, repeats=field.repeats, legend=LEGEND)
