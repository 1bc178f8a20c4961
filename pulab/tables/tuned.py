"""What tuning chose: medians of parameters (table 2.6 of the RESVM chapter), and how often they lay on a grid's edge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pulab.tables.cells import CELL_COLUMNS, Place

#: Repeats behind the chapter's numbers, unless a table says otherwise.
N_PUBLISHED = 20


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


def edge_cells(
    tidy: pd.DataFrame, rows: Sequence[Place], methods: Mapping[str, str], *, stand_ins: Mapping[str, str]
) -> pd.DataFrame:
    """How often, in percent of the trials, a tuned parameter lay on the edge of what was searched, by data set.

    There is no cell where a method was run without tuning the parameter (γ with a linear kernel).
    """
    edges = tidy[tidy["metric"].str.startswith("edge_") & (tidy["step"] == -1) & tidy["method"].isin(list(methods))]
    columns = sorted(set(edges[["method", "metric"]].itertuples(index=False, name=None)), key=_edge_order(methods))
    out = []
    for row in rows:
        stand_in = stand_ins.get(row.select["dataset"], "")
        mine = edges[edges["dataset"] == (stand_in or row.select["dataset"])]
        for method, metric in columns:
            trials = mine[mine["method"] == method]
            values = trials[trials["metric"] == metric]["value"]
            if len(trials) and not len(values):
                continue
            status = {"status": "ok", "note": ""} if len(values) else {"status": "not run", "note": ""}
            out.append(
                {"row": row.label, "column": f"{methods[method]} {metric.removeprefix('edge_')}", "unit": "%"}
                | {"stand_in": stand_in, "dataset": stand_in or row.select["dataset"], "method": method, "metric": metric}
                | {"scale": 100.0, "ours": 100.0 * values.mean() if len(values) else np.nan, "n": len(values)}
                | status
            )
    return pd.DataFrame(out).reindex(columns=CELL_COLUMNS)


def _edge_order(methods: Mapping[str, str]) -> Callable[[tuple[str, str]], tuple[int, str]]:
    names = list(methods)
    return lambda place: (names.index(place[0]), place[1])
