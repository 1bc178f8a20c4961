"""Tables of the Ada-PU paper that the general comparison does not cover."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pulab.tables.cells import CELL_COLUMNS, Place, comparison_cells


def accuracy_cells(results: pd.DataFrame, published: pd.DataFrame, spec: Mapping[str, Any]) -> pd.DataFrame:
    """Cells of table 2.

    Parameters
    ----------
    results, published : DataFrame
        Tidy results, and the table's published cells.
    spec : mapping
        The table's entry: ``rows``, ``columns``, ``select`` (for all cells, unless a column selects another), ``instead``
        (cells with a selection of their own) and ``without`` (column to rows that it has no cells in).
    """
    shared = spec.get("select", {})
    options = {"metric": spec["metric"], "scale": spec["scale"], "stand_ins": spec["stand_ins"]}
    rows = [Place.of({**row, "select": {**shared, **row["select"]}}) for row in spec["rows"]]
    columns = [Place.of(column) for column in spec["columns"]]
    cells = comparison_cells(results, published, rows, columns, **options)
    for column, absent in spec.get("without", {}).items():
        cells = cells[~((cells["column"] == column) & cells["row"].isin(absent))]
    for cell in spec.get("instead", []):
        place = [Place(cell["row"], {**shared, **cell["select"]})]
        one = comparison_cells(results, published, place, [Place(cell["column"])], **options)
        same = (cells["row"] == cell["row"]) & (cells["column"] == cell["column"])
        cells = pd.concat([cells[~same], one])
    order = {
        name: {label: i for i, label in enumerate(dict.fromkeys([place.label for place in places] + cells[name].tolist()))}
        for name, places in (("row", rows), ("column", columns))
    }
    placed = cells.assign(r=cells["row"].map(order["row"]), c=cells["column"].map(order["column"]))
    return placed.sort_values(["r", "c"], kind="stable")[CELL_COLUMNS].reset_index(drop=True)


def reading_cells(results: pd.DataFrame, published: pd.DataFrame, spec: Mapping[str, Any]) -> pd.DataFrame:
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
        status = {"status": "ok", "note": ""} if gaps else {"status": "not run", "note": "no results to compare in this run"}
        distances.append(
            {"row": row.label, "column": "distance", "ours": np.mean(gaps) if gaps else np.nan, "n": len(gaps), **status}
        )
    frame = pd.DataFrame(distances).reindex(columns=CELL_COLUMNS)
    if frame["ours"].notna().any():
        frame.loc[frame["ours"].idxmin(), "note"] = "closest reading"
    return pd.concat([cells, frame.assign(stand_in="", unit="", scale=1.0)], ignore_index=True)
