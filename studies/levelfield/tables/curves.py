"""What varies in steps: scores, or what is lost against a reference, by method and step; and the labels that each needs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from pulab.tables.inputs import Cell, Inputs, Paths, Spec
from studies.levelfield.field import (
    METRICS,
    Field,
    absent_cells,
    cell,
    difference,
    over_tasks,
    sorted_rows,
    summary_cell,
    write_cells,
)
from pulab.trials.artifacts import OPTIONAL, Artifact, Setting

SCORES = "{metric} in percent: means over tasks of means over {{repeats}}, with 95% bootstrap intervals over tasks."
LOSSES = (
    "Points of {metric} lost compared with {reference}: means over tasks (and {{repeats}}), with 95% bootstrap intervals over "
    "tasks."
)


class Keys(Artifact):
    metric: str
    reference: dict[Setting, str]
    levels: dict[Setting, str]
    share_of_ceiling: float = OPTIONAL
    lost: bool = OPTIONAL


def render(spec: Spec, inputs: Inputs, paths: Paths) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes.

    ``levels``: setting to what its column is called; ``reference``: the setting to compare with, and its name; ``lost``:
    whether the loss against it is shown, in place of scores; ``share_of_ceiling``: adds the least level with this share of the
    method's own best.
    """
    metric, (reference, name) = spec["metric"], next(iter(spec["reference"].items()))
    lost = bool(spec.get("lost"))
    field = Field.of(spec, inputs.results, [*spec["levels"], reference], [metric])
    shown = {setting: level_values(field, setting, metric, reference if lost else "") for setting in spec["levels"]}
    found = {setting: over_tasks(values) for setting, values in shown.items()}
    of_reference = over_tasks(field.scores(reference, metric))
    cells = []
    for method in sorted_rows(field, field.ranking(reference, metric), field.table.columns):
        row = field.label(method)
        cells.append(summary_cell(row, f"{METRICS[metric]}, {name}", of_reference, method))
        for setting, label in spec["levels"].items():
            if setting == reference or (method not in found[setting].index and method not in field.ranked([method])):
                continue
            column = f"{label} ({len(shown[setting])} tasks)" if len(shown[setting]) else str(label)
            cells.append(summary_cell(row, column, found[setting], method, signed=lost))
        if "share_of_ceiling" in spec and method in field.ranked([method]):
            cells.append(_needed_cell(field, method, spec))
    cells += absent_cells(field, [f"{METRICS[metric]}, {name}"])
    legend = (LOSSES if lost else SCORES).format(metric=METRICS[metric], reference=name)
    write_cells(spec, cells, paths, repeats=field.repeats, legend=legend)


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


def _needed_cell(field: Field, method: str, spec: Spec) -> Cell:
    share = spec["share_of_ceiling"]
    column = f"labels for {share:.0%} of its best: median over tasks (quartiles)"
    levels = {setting: float(label) for setting, label in spec["levels"].items()}
    needed = labels_needed(field, method, levels, spec["metric"], share)
    if needed.empty:
        return cell(field.label(method), column, "–")
    low, median, high = np.quantile(needed, [0.25, 0.5, 0.75], method="inverted_cdf")
    text = f"{median:.0f} ({low:.0f}–{high:.0f})"
    return cell(field.label(method), column, text, float(median), low=float(low), high=float(high), tasks=len(needed))
