"""The tasks: what they are like, and what the best learner, the best classifier with true labels and a trivial one reach."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulab.tables.inputs import Cell, Inputs, Paths, Spec
from studies.levelfield.tables.properties import FACTS, properties
from studies.levelfield.field import Field, cell, not_run, write_cells
from pulab.trials.artifacts import Artifact, Setting

LEGEND = "Means over {repeats}; accuracy in percent."


class Keys(Artifact):
    settings: dict[Setting, str]


def render(spec: Spec, inputs: Inputs, paths: Paths) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    field = Field.of(spec, inputs.results, spec["settings"], ["accuracy", *FACTS])
    first = next(iter(spec["settings"]))
    cells: list[Cell] = []
    for dataset, facts in properties(field, first, "accuracy").iterrows():
        row = field.task(str(dataset))
        for name, value in facts.items():
            if name in FACTS.values():
                digits = 0 if value >= 2 else 2
                cells.append(cell(row, str(name), f"{value:,.{digits}f}", value, tasks=1))
        for setting, label in spec["settings"].items():
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
    write_cells(spec, cells, paths, repeats=field.repeats, legend=LEGEND)


def _groups(field: Field, own: Any) -> dict[str, list[str]]:
    there = [] if own is None else list(own.index[np.isfinite(own)])
    return {
        "best learner": field.ranked(there),
        "best with true labels": field.of_role(there, "ceiling"),
        "best trivial": field.of_role(there, "trivial"),
    }
