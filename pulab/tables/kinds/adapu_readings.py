"""Which reading of the Ada-PU paper's text comes closest to its table 2."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pulab.tables import read_published, write_study_table
from pulab.tables.cells import Place, cells_of, comparison_cells
from pulab.tables.inputs import Inputs, Paths, Spec


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
    distances = []
    for row in rows:
        in_row = cells[(cells["row"] == row.label) & (cells["status"] == "ok")]
        gaps = [
            abs(mean - goals[column]) for column, mean in zip(in_row["column"], in_row["ours"], strict=True) if column in goals
        ]
        status = {} if gaps else {"status": "not run", "note": "no results to compare in this run"}
        distance = {"column": "distance", "unit": "", "scale": 1.0, "ours": np.mean(gaps) if gaps else np.nan, "n": len(gaps)}
        distances.append({"row": row.label, **distance, **status})
    frame = cells_of(distances)
    if frame["ours"].notna().any():
        frame.loc[frame["ours"].idxmin(), "note"] = "closest reading"
    return pd.concat([cells, frame], ignore_index=True)
