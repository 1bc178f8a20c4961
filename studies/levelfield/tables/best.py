"""The tasks: what they are like, and what the best learner, the best classifier with true labels and a trivial one reach."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulab.tables import Results, Table
from studies.levelfield.field import Field, cell, not_run, table_of
from studies.levelfield.levels import REFERENCES
from studies.levelfield.tables.properties import FACTS, properties

LEGEND = "Means over {repeats}; accuracy in percent."


def best_table(results: Results) -> Table:
    """A row per task: its properties, and the best methods of each kind."""
    field = Field.of(results, REFERENCES, ["accuracy", *FACTS])
    first = next(iter(REFERENCES))
    cells: list[dict[str, Any]] = []
    for dataset, facts in properties(field, first, "accuracy").iterrows():
        row = field.task(str(dataset))
        for name, value in facts.items():
            if name in FACTS.values():
                digits = 0 if value >= 2 else 2
                cells.append(cell(row, str(name), f"{value:,.{digits}f}", value, tasks=1))
        for setting, label in REFERENCES.items():
            scores = field.scores(setting, "accuracy")
            own = scores.loc[dataset].dropna() if dataset in scores.index else None
            for column, methods in _groups(field, own).items():
                if own is None or not methods:
                    cells.append(not_run(row, f"{column}, {label}"))
                    continue
                best = own[methods].idxmax()
                cells.append(
                    cell(row, f"{column}, {label}", f"{field.labels.get(best, best)} {100 * own[best]:.1f}", 100 * own[best])
                )
    return table_of(cells, field, legend=LEGEND)


def _groups(field: Field, own: Any) -> dict[str, list[str]]:
    there = [] if own is None else list(own.index[np.isfinite(own)])
    return {
        "best learner": field.ranked(there),
        "best with true labels": field.of_role(there, "ceiling"),
        "best trivial": field.of_role(there, "trivial"),
    }
