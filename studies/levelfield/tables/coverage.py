"""How much of the level field was run: tasks, methods and repeats by setting."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from pulab.tables import Results, Table
from studies.levelfield.field import UNRANKED, cell, table_of

LEGEND = "Counts include trials with results only. Repeats: the most that a task has, and the fewest if they differ."


def coverage_table(results: Results) -> Table:
    """A row per setting."""
    found = coverage(results.tidy, results.roles)
    cells = []
    for setting, row in found.iterrows():
        label = results.setting_labels.get(setting, str(setting))
        fewest, most = int(row["fewest"]), int(row["most"])
        for name in ("tasks", "learners", "ceilings", "trivial"):
            cells.append(cell(label, name, str(int(row[name])), float(row[name])))
        cells.append(cell(label, "repeats", f"{fewest}–{most}" if fewest < most else str(most), most, low=fewest, high=most))
    return table_of(cells, int(found["most"].max()) if len(found) else 0, legend=LEGEND)


def coverage(tidy: pd.DataFrame, roles: Mapping[str, str]) -> pd.DataFrame:
    """A row per setting that has numbers, with ``tasks, learners, ceilings, trivial, fewest`` and ``most`` (repeats)."""
    trials = tidy[tidy["status"] == "ok"].drop_duplicates(["dataset", "setting", "method", "repeat"])
    rows = {}
    for setting, part in trials.groupby("setting", sort=False):
        role = part["method"].drop_duplicates().map(lambda method: roles.get(method, "learner"))
        repeats = part.groupby("dataset")["repeat"].nunique()
        rows[setting] = {
            "tasks": part["dataset"].nunique(),
            "learners": int((~role.isin(list(UNRANKED))).sum()),
            "ceilings": int((role == "ceiling").sum()),
            "trivial": int((role == "trivial").sum()),
            "fewest": int(repeats.min()),
            "most": int(repeats.max()),
        }
    columns = ["tasks", "learners", "ceilings", "trivial", "fewest", "most"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns)
