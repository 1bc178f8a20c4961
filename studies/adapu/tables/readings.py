"""Which reading of the Ada-PU paper's text comes closest to its table 2."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pulab.tables import read_published, write_study_table
from pulab.tables.cells import Place, cells_of, comparison_cells
from pulab.tables.inputs import Inputs, Paths, Spec
from pulab.trials.artifacts import Artifact, Places


class Keys(Artifact):
    published: str
    rows: dict[str, str]
    columns: Places
    decimals: int


def render(spec: Spec, inputs: Inputs, paths: Paths) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    published = read_published(inputs.published, spec["published"])
    write_study_table(spec, reading_cells(inputs.results, published, spec), paths, decimals=spec["decimals"])


def reading_cells(results: pd.DataFrame, published: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Accuracy of each reading on each data set, and its mean distance from the published accuracies; the least is noted.

    Parameters
    ----------
    results, published : DataFrame
    spec : mapping
        ``rows`` (label to reading) and ``columns`` (``label``, ``select``, and ``target``: the published cell to compare with,
        where there is one).  Data sets that others stand in for are left out.
    """
    target = published.set_index(["row", "column"])["mean"].to_dict()
    rows = [Place(label, {"metric": f"accuracy_{name}"}) for label, name in spec["rows"].items()]
    real = [column for column in spec["columns"] if column["select"]["dataset"] not in spec["stand_ins"]]
    columns = [Place(column["label"], column["select"]) for column in real]
    cells = comparison_cells(results, published.iloc[:0], rows, columns, metric="", scale=100.0)
    goals = {
        column["label"]: target[column["target"]["row"], column["target"]["column"]] for column in real if "target" in column
    }
    run = cells[cells["status"] == "ok"]
    gaps = (run["ours"] - run["column"].map(goals)).abs().groupby(run["row"]).agg(["mean", "count"])
    gaps = gaps.reindex([row.label for row in rows])
    distances = cells_of(
        {"row": label, "column": "distance", "unit": "", "scale": 1.0, "ours": mean, "n": 0 if np.isnan(n) else int(n)}
        | ({} if n > 0 else {"status": "not run", "note": "no results to compare in this run"})
        for label, mean, n in gaps.itertuples()
    )
    if distances["ours"].notna().any():
        distances.loc[distances["ours"].idxmin(), "note"] = "closest reading"
    return pd.concat([cells, distances], ignore_index=True)
