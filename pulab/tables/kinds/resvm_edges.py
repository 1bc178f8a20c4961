"""How often a tuned parameter lay on the edge of its grid or box, which the paper checked by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pulab.tables import Place, write_study_table
from pulab.tables.cells import CELL_COLUMNS
from pulab.tables.inputs import Inputs


def render(spec: Mapping[str, Any], inputs: Inputs, paths: Mapping[str, str]) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    tidy = inputs.results
    tidy = tidy[tidy["setting"].str.startswith("sweep") == bool(spec.get("sweeps"))]
    rows = [Place(row["label"], {"dataset": row["select"]["dataset"]}) for row in spec["rows"]]
    methods = {method: spec["methods"][method] for method in spec["compare"]}
    cells = edge_cells(tidy, rows, methods, stand_ins=spec["stand_ins"])
    write_study_table(spec, cells, paths, decimals=0)


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
