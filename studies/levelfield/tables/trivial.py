"""Defaults against trivial classifiers, task by task: who is worse than the best of them, beyond the interval over repeats."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from pulab.tables import Results, Table
from pulab.tables.numerals import signed
from studies.levelfield.field import Field, absent_cells, cell, paired_interval, sorted_rows, table_of
from studies.levelfield.levels import BEFORE, REFERENCES

LEGEND = (
    "Accuracy minus that of the task's best trivial classifier (all positive, all negative, a random share π), in points, "
    "paired over {repeats}. A task is lost if the 95% interval of the difference (Student's t) lies below zero."
)


def trivial_table(results: Results) -> Table:
    """A row per learner: how many tasks it loses, and its margins."""
    metric = "accuracy"
    field = Field.of(results, REFERENCES, [metric])
    first = next(iter(REFERENCES))
    margins = {s: margins_over_trivial(field, results.tidy, s, metric) for s in REFERENCES}
    before = {now: old for now, old in BEFORE.items() if old in field.table.columns}
    methods = sorted_rows(field, field.ranking(first, metric), [m for m in field.table if m not in before.values()])
    cells: list[dict[str, Any]] = []
    for method in methods:
        if field.role(method) == "trivial":
            continue
        for setting, label in REFERENCES.items():
            cells += _cells(field, margins[setting], method, label)
            if before:
                old = margins[setting][margins[setting]["method"] == before.get(method, "")]
                cells.append(_lost(field.label(method), f"tasks lost before, {label}", old))
    cells += absent_cells(field, (f"tasks lost, {label}" for label in REFERENCES.values()))
    lost = pd.concat(list(margins.values()))
    lost = lost[lost["lost"] & ~lost["method"].isin(before.values())]
    lost_tasks = [
        f"{field.label(r.method)} loses {field.task(r.dataset)}, {REFERENCES[r.setting]}: {signed(r.mean)} points"
        for r in lost.itertuples()
    ]
    none = (
        "No learner loses a task to a trivial classifier at its defaults."
        if field.repeats > 1
        else ("Inconclusive: a single repeat has no interval.")
    )
    remarks = [f"Lost: {'; '.join(lost_tasks)}."] if lost_tasks else [none]
    return table_of(cells, field, legend=LEGEND, remarks=remarks if len(margins[first]) else [])


def margins_over_trivial(field: Field, tidy: pd.DataFrame, setting: str, metric: str = "accuracy") -> pd.DataFrame:
    """Each method's margin over the best trivial classifier of each task.

    Returns
    -------
    DataFrame with ``setting, dataset, method, trivial`` (the best one), ``mean, low, high`` (of the margin, in points) and
    ``lost`` (whether the interval lies below zero).
    """
    scores = field.scores(setting, metric)
    columns = ["setting", "dataset", "method", "trivial", "mean", "low", "high", "lost"]
    trivial = field.of_role(scores.columns, "trivial")
    if not trivial:
        return pd.DataFrame(columns=columns).astype({"lost": bool})
    rows = tidy[(tidy["setting"] == setting) & (tidy["metric"] == metric) & (tidy["step"] == -1) & (tidy["status"] == "ok")]
    by_repeat = rows.pivot(index=["dataset", "repeat"], columns="method", values="value")
    out = []
    for dataset, own in scores.iterrows():
        if own[trivial].isna().all():
            continue
        best = str(own[trivial].idxmax())
        repeats = by_repeat.loc[dataset]
        for method in (m for m in own.dropna().index if m not in trivial):
            mean, low, high = (100 * v for v in paired_interval(repeats[method] - repeats[best]))
            out.append([setting, dataset, method, best, mean, low, high, bool(high < 0)])
    return pd.DataFrame(out, columns=columns)


def _cells(field: Field, margins: pd.DataFrame, method: str, label: str) -> Iterable[dict[str, Any]]:
    own, row = margins[margins["method"] == method], field.label(method)
    yield _lost(row, f"tasks lost, {label}", own)
    if len(own):
        worst = own.loc[own["mean"].idxmin()]
        text = f"{signed(worst['mean'])} ({field.task(worst['dataset'])})"
        yield cell(row, f"smallest margin, {label}", text, worst["mean"], low=worst["low"], high=worst["high"], tasks=len(own))
        yield cell(row, f"mean margin, {label}", signed(own["mean"].mean()), own["mean"].mean(), tasks=len(own))


def _lost(row: str, column: str, margins: pd.DataFrame) -> dict[str, Any]:
    if not len(margins):
        return cell(row, column, "–")
    return cell(row, column, f"{int(margins['lost'].sum())} of {len(margins)}", int(margins["lost"].sum()), tasks=len(margins))
