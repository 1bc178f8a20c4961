"""How far RESVM's mean areas are above its rivals', by the grids that were searched."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pulab.tables import Place, read_published, write_study_table
from pulab.tables.cells import cells_of
from pulab.tables.inputs import Inputs, Paths, Spec
from studies.resvm.scores import scores_by_repeat
from pulab.trials.artifacts import Artifact, Method, Places, Setting

LEGEND = (
    "Points of area by which RESVM is ahead: the mean difference over the shared draws, with its standard deviation over "
    "{repeats} in parentheses. Published: the difference between the midpoints of the published intervals."
)


class Keys(Artifact):
    settings: dict[Setting, str]
    tables: dict[Setting, str]
    grids: dict[str, list[Method]]
    rivals: list[str]
    rows: Places


def render(spec: Spec, inputs: Inputs, paths: Paths) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    parts = []
    for setting, table in spec["tables"].items():
        rows = [Place.of(row) for row in spec["rows"]]
        cells = margin_cells(inputs.results, read_published(inputs.published, table), rows, spec, setting)
        # what is left out was not run, and the study's other tables say so
        cells = cells[cells.groupby("row")["n"].transform("sum") > 0]
        means = cells.groupby("column", sort=False)["ours"].mean()
        mean = {"row": "mean of these", "n": cells["n"].max()}
        cells = pd.concat([cells, cells_of([{"column": c, "ours": v} | mean for c, v in means.items()])])
        parts.append(cells.assign(row=cells["row"] + f", {spec['settings'][setting]}"))
    write_study_table(spec, pd.concat(parts), paths, decimals=1, legend=LEGEND)


def margin_cells(tidy: pd.DataFrame, published: pd.DataFrame, rows: list[Place], spec: Spec, setting: str) -> pd.DataFrame:
    """Per data set and rival: the published margin, and ours by each of ``spec["grids"]`` (label to methods, RESVM last).

    Rows whose sets were not run by all of the grids have ``n`` 0.
    """
    middles = published.set_index(["row", "column"])[["low", "high"]].mean(axis=1)
    out = []
    for row in rows:
        dataset = spec["stand_ins"].get(row.select["dataset"], row.select["dataset"])
        scores = {grid: 100.0 * scores_by_repeat(tidy, dataset, setting, methods) for grid, methods in spec["grids"].items()}
        there = all(len(values) for values in scores.values())
        most = max(len(values) for values in scores.values()) if there else 0
        for place, rival in enumerate(spec["rivals"]):
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
