"""RESVM's lead in mean area over its rivals, by the grids that were searched."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pulab.tables import Paper, Place, Results, Table
from pulab.tables.record import cells_of
from studies.resvm.places import BLIND, METHODS, NAMES, PRINTED, SETTINGS
from studies.resvm.scores import scores_by_repeat

#: Methods by the grids that were searched, RESVM last.
GRIDS = {"main grids": METHODS, "blind grids": BLIND}

LEGEND = (
    "Points of area by which RESVM is ahead: the mean difference over the shared draws, with its standard deviation over "
    "{repeats} in parentheses. Published: the difference between the midpoints of the published intervals."
)


def margin_table(results: Results, paper: Paper, rows: Sequence[Place]) -> Table:
    """Return margins by setting, and their means."""
    parts = []
    for setting, table in PRINTED.items():
        cells = margin_cells(results, paper.table(table), rows, setting)
        # rows that are left out were not run; the study's other tables report it
        cells = cells[cells.groupby("row")["n"].transform("sum") > 0]
        means = cells.groupby("column", sort=False)["ours"].mean()
        mean = {"row": "mean of these", "n": cells["n"].max()}
        cells = pd.concat([cells, cells_of([{"column": c, "ours": v} | mean for c, v in means.items()])])
        parts.append(cells.assign(row=cells["row"] + f", {SETTINGS[setting]}"))
    return Table(pd.concat(parts), decimals=1, legend=LEGEND)


def margin_cells(results: Results, published: pd.DataFrame, rows: Sequence[Place], setting: str) -> pd.DataFrame:
    """Return the published margin by data set and rival, and ours with each of :data:`GRIDS`.

    Rows whose data sets were not run with all grids have ``n`` 0.
    """
    middles = published.set_index(["row", "column"])[["low", "high"]].mean(axis=1)
    out = []
    for row in rows:
        dataset = results.stand_ins.get(row.select["dataset"], row.select["dataset"])
        scores = {grid: 100.0 * scores_by_repeat(results.tidy, dataset, setting, methods) for grid, methods in GRIDS.items()}
        there = all(len(values) for values in scores.values())
        most = max(len(values) for values in scores.values()) if there else 0
        for place, rival in enumerate(NAMES[:-1]):
            of_paper = middles.get((row.known_as, "RESVM"), np.nan) - middles.get((row.known_as, rival), np.nan)
            margins = {"published": pd.Series([of_paper])} | {
                grid: values.iloc[:, -1] - values.iloc[:, place] for grid, values in scores.items()
            }
            for grid, values in margins.items():
                n = most if grid == "published" else len(values)
                out.append(
                    {"row": row.label, "column": f"{rival}, {grid}", "unit": "%"}
                    | {"dataset": dataset, "setting": setting, "metric": "pr_auc", "scale": 100.0}
                    | {"ours": values.mean(), "ours_sd": values.std(), "n": n if there else 0}
                    | {"status": "ok" if there else "not run"}
                )
    return cells_of(out)
