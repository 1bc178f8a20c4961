"""Which reading of the OPU paper comes closest to its tables, by data set."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from pulab.tables import read_published, write_study_table
from pulab.tables.inputs import Cell, Inputs, Paths, Spec


def render(spec: Spec, inputs: Inputs, paths: Paths) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    published = pd.concat([read_published(inputs.published, table) for table in spec["published_tables"]])
    rows = spec["rows"]
    if spec["stand_ins"]:  # a stand-in's accuracy has no distance from another set's
        rows = {label: name for label, name in rows.items() if name not in spec["stand_ins"]} or rows
    cells = reading_distances(inputs.results, published, {**spec, "rows": rows})
    cells = cells.assign(published=np.nan, published_sd=np.nan, unit="points", stand_in="")
    write_study_table(spec, cells, paths, decimals=spec["decimals"], legend="Mean distance (sd) over the cells of a data set.")


def reading_distances(results: pd.DataFrame, published: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Mean absolute difference from the published accuracy, by reading and data set.

    Parameters
    ----------
    results : DataFrame
        Tidy results, accuracies as shares under the names ``accuracy_<tuning>_<prior>``.
    published : DataFrame
        Published cells, in percent, with rows named ``<data set> <setting>``.
    spec : mapping
        ``rows`` (label to data set), ``settings`` and ``columns`` (label to setting, to method), and the readings:
        ``weightings`` (label to a suffix of the method), ``priors`` and ``tunings`` (label to part of the metric); ``unmarked``
        lists tunings that are shown but never marked as closest.

    Returns
    -------
    DataFrame with the columns ``row, column, ours, ours_sd, n, status, note``: a cell is the mean over settings and methods of
    |ours − published| in points, ``ours_sd`` the sd of these distances, ``n`` their count; ``note`` marks the closest
    reading of a data set or says why it is unavailable.
    """
    scalars = results[(results["status"] == "ok") & (results["step"] == -1)]
    means = scalars.groupby(["dataset", "setting", "method", "metric"])["value"].mean()
    target = {(cell.row, cell.column): cell.mean for cell in published.itertuples(index=False)}
    cells = []
    for label, dataset in spec["rows"].items():
        readings = []
        unavailable = results[(results["dataset"] == dataset) & (results["status"] == "unavailable")]
        reason = str(unavailable["message"].iloc[0]) if len(unavailable) else None
        for (w, suffix), (p, prior), (t, tuning) in product(
            spec["weightings"].items(), spec["priors"].items(), spec["tunings"].items()
        ):
            pairs = [
                (
                    means.get((dataset, setting, method + suffix, f"accuracy_{tuning}_{prior}")),
                    target.get((f"{label} {s}", column)),
                )
                for (s, setting), (column, method) in product(spec["settings"].items(), spec["columns"].items())
            ]
            distances = np.array(
                [abs(100 * ours - published) for ours, published in pairs if ours is not None and published is not None]
            )
            cell = _cell(distances, reason)
            readings.append(
                {
                    "row": f"{w}, {p}, {t}",
                    "column": label,
                    "dataset": dataset,
                    **cell,
                    "eligible": t not in spec.get("unmarked", ()),
                }
            )
        best = min((cell["ours"] for cell in readings if cell["n"] and cell["eligible"]), default=np.nan)
        for cell in readings:
            if cell.pop("eligible") and cell["n"] and cell["ours"] == best:
                cell["note"] = "closest reading"
        cells += readings
    return pd.DataFrame(cells)


def _cell(distances: np.ndarray, reason: str | None) -> Cell:
    if not len(distances):
        status = "not run" if reason is None else "unavailable"
        return {"ours": np.nan, "ours_sd": np.nan, "n": 0, "status": status, "note": reason or ""}
    spread = float(np.std(distances, ddof=1)) if len(distances) > 1 else np.nan
    return {"ours": float(np.mean(distances)), "ours_sd": spread, "n": len(distances), "status": "ok", "note": ""}
