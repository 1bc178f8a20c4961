"""How often a tuned parameter lay on the edge of its grid or box, which the paper checked by hand."""

from __future__ import annotations

import pandas as pd

from pulab.tables import write_study_table
from pulab.tables.cells import cells_of
from pulab.tables.inputs import Inputs, Paths, Spec
from pulab.trials.artifacts import OPTIONAL, Artifact, Method, Places, Setting


class Keys(Artifact):
    compare: list[Method]
    rows: Places
    sweeps: list[Setting] = OPTIONAL


def render(spec: Spec, inputs: Inputs, paths: Paths) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    sweeps = inputs.results["setting"].str.startswith("sweep")
    write_study_table(spec, edge_cells(inputs.results[sweeps == bool(spec.get("sweeps"))], spec), paths, decimals=0)


def edge_cells(tidy: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """How often, in percent of the trials, a tuned parameter lay on the edge of what was searched, by data set.

    There is no cell where a method was run without tuning the parameter (γ with a linear kernel).
    """
    methods = list(spec["compare"])
    edges = tidy[tidy["metric"].str.startswith("edge_") & (tidy["step"] == -1) & tidy["method"].isin(methods)]
    columns = edges[["method", "metric"]].astype(str).drop_duplicates().itertuples(index=False, name=None)
    columns = sorted(columns, key=lambda place: (methods.index(place[0]), place[1]))
    out = []
    for row in spec["rows"]:
        dataset = row["select"]["dataset"]
        stand_in = spec["stand_ins"].get(dataset, "")
        mine = edges[edges["dataset"] == (stand_in or dataset)]
        for method, metric in columns:
            trials = mine[mine["method"] == method]
            values = trials[trials["metric"] == metric]["value"]
            if len(trials) and not len(values):
                continue
            out.append(
                {"row": row["label"], "column": f"{spec['methods'][method]} {metric.removeprefix('edge_')}", "unit": "%"}
                | {"stand_in": stand_in, "dataset": stand_in or dataset, "method": method, "metric": metric, "scale": 100.0}
                | {"ours": 100.0 * values.mean(), "n": len(values), "status": "ok" if len(values) else "not run"}
            )
    return cells_of(out)
