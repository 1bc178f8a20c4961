"""Table 2.6: medians of RESVM's tuned parameters per digit and setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pulab.tables import read_published, write_study_table
from pulab.tables.cells import CELL_COLUMNS
from pulab.tables.inputs import Inputs
from pulab.tables.resvm import N_PUBLISHED


def render(spec: Mapping[str, Any], inputs: Inputs, paths: Mapping[str, str]) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    cells = parameter_cells(
        inputs.results,
        read_published(inputs.published, str(spec["published"])),
        spec["tasks"],
        spec["parameters"],
        spec["settings"],
        method=spec["method"],
        stand_ins=spec["stand_ins"],
    )
    spec = {"n_published": N_PUBLISHED, **spec}
    grids = [entry["method"]["grid"] for entry in spec["resolved"].values()]
    write_study_table(
        spec,
        cells,
        paths,
        kind="parameter",
        decimals=spec.get("decimals", 2),
        legend="Ours, medians over {repeats}, then the chapter's in italics.",
        remarks=[] if spec["preset"] == "quick" else [within_one_step(cells, _steps(spec["parameters"], grids[0]))],
    )


def _steps(parameters: Mapping[str, str], grid: Mapping[str, Any]) -> dict[str, Any]:
    """The searched values by the label of their row."""
    return {label: grid[metric.removeprefix("best_")] for metric, label in parameters.items()}


def parameter_cells(
    tidy: pd.DataFrame,
    published: pd.DataFrame,
    tasks: Mapping[str, str],
    parameters: Mapping[str, str],
    settings: Mapping[str, str],
    *,
    method: str,
    stand_ins: Mapping[str, str],
) -> pd.DataFrame:
    """Table 2.6: medians over repeats of tuned parameters by task, and the mean of the medians.

    Parameters
    ----------
    tasks : mapping of data set to column label
    parameters : mapping of metric to row label
    """
    of_paper = published.set_index(["row", "column"])
    of_method = tidy[(tidy["method"] == method) & (tidy["step"] == -1)]
    medians = of_method.groupby(["metric", "setting", "dataset"])["value"].agg(["median", "size"])
    out = []
    for metric, name in parameters.items():
        for setting, label in settings.items():
            row, places, counts = f"{name}, {label}", [], []
            of_method = {"setting": setting, "method": method, "metric": metric, "scale": 1.0}
            for task, column in tasks.items():
                place = (metric, setting, stand_ins.get(task, task))
                value, n = medians.loc[place] if place in medians.index else (np.nan, 0)
                places.append(value)
                counts.append(int(n))
                out.append(_parameter_cell(of_paper, row, column, value, int(n)) | of_method | {"dataset": place[2]})
                out[-1]["stand_in"] = stand_ins.get(task, "")
            mean = float(np.nanmean(places)) if np.isfinite(places).any() else np.nan
            # the mean of all rests on whatever stands in for one of them
            stood_in = sorted({stand_ins[task] for task, n in zip(tasks, counts, strict=True) if n and task in stand_ins})
            out.append(
                _parameter_cell(of_paper, row, "mean", mean, max(counts)) | of_method | {"stand_in": ", ".join(stood_in)}
            )
    return pd.DataFrame(out).reindex(columns=CELL_COLUMNS)


def _parameter_cell(of_paper: pd.DataFrame, row: str, column: str, value: float, n: int) -> dict[str, Any]:
    status = {"status": "ok", "note": ""} if n else {"status": "not run", "note": "not part of this run"}
    place = {"row": row, "column": column, "published": of_paper["mean"].get((row, column), np.nan), "unit": "parameter"}
    return place | {"ours": value, "ours_sd": np.nan, "n": n} | status


def within_one_step(cells: pd.DataFrame, steps: Mapping[str, Sequence[float]]) -> str:
    """How many medians lie within one step of the searched values of the published ones, in a sentence.

    Parameters
    ----------
    cells : DataFrame
        As :func:`parameter_cells` gives them; means of medians are left out.
    steps : mapping of parameter to values
        Between two of them a step is cut in proportion.
    """
    counts = []
    for name, values in steps.items():
        tuned = cells[cells["row"].str.startswith(f"{name}, ") & (cells["column"] != "mean")].dropna(
            subset=["ours", "published"]
        )
        places = np.sort(np.asarray(values, dtype=float))
        gaps = [np.interp(tuned[side], places, np.arange(len(places))) for side in ("ours", "published")]
        counts.append((name, int(np.sum(np.abs(gaps[0] - gaps[1]) <= 1.0 + 1e-9)), len(tuned)))
    close, all_of_them = sum(near for _, near, _ in counts), sum(n for _, _, n in counts)
    each = ", ".join(f"{name} {near} of {n}" for name, near, n in counts)
    return f"{close} of {all_of_them} medians lie within one step of the grid of the chapter's ({each})."
