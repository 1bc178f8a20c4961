"""How often a tuned parameter lay on the edge of its grid or box, which the paper checked by hand."""

from __future__ import annotations

from collections.abc import Sequence

from pulab.tables import Place, Results, Table
from pulab.tables.record import cells_of


def edge_table(results: Results, rows: Sequence[Place], methods: Sequence[str]) -> Table:
    """Return how often, in percent of the trials, a tuned parameter lay on the edge of what was searched, by data set.

    There is no cell for a parameter that a method does not tune (γ with a linear kernel).
    """
    tidy, methods = results.tidy[~results.tidy["setting"].str.startswith("sweep")], list(methods)
    edges = tidy[tidy["metric"].str.startswith("edge_") & (tidy["step"] == -1) & tidy["method"].isin(methods)]
    columns = edges[["method", "metric"]].astype(str).drop_duplicates().itertuples(index=False, name=None)
    columns = sorted(columns, key=lambda place: (methods.index(place[0]), place[1]))
    out = []
    for row in rows:
        dataset = row.select["dataset"]
        stand_in = results.stand_ins.get(dataset, "")
        mine = edges[edges["dataset"] == (stand_in or dataset)]
        for method, metric in columns:
            trials = mine[mine["method"] == method]
            values = trials[trials["metric"] == metric]["value"]
            if len(trials) and not len(values):
                continue
            out.append(
                {"row": row.label, "column": f"{results.labels[method]} {metric.removeprefix('edge_')}", "unit": "%"}
                | {"stand_in": stand_in, "dataset": stand_in or dataset, "method": method, "metric": metric, "scale": 100.0}
                | {"ours": 100.0 * values.mean(), "n": len(values), "status": "ok" if len(values) else "not run"}
            )
    return Table(cells_of(out), decimals=0)
