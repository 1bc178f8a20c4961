"""The cells behind everything: mean over repeats by method and task, in one setting and by one metric."""

from __future__ import annotations

import numpy as np

from pulab.tables import Results, Table
from studies.levelfield.field import Field, absent_cells, cell, not_run, sorted_rows, table_of

LEGEND = "Means over {repeats}, in percent; standard deviation over repeats in parentheses."


def task_table(results: Results, setting: str, metric: str) -> Table:
    """Methods by tasks."""
    field = Field.of(results, [setting], [metric])
    scores = field.scores(setting, metric)
    tidy = results.tidy
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
    return table_of(cells, field, legend=LEGEND, setting=setting, metric=metric)
