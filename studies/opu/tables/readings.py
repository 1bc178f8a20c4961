"""Which reading of the OPU paper comes closest to its tables, by data set."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from pulab.tables import read_published, write_study_table
from pulab.tables.cells import cells_of
from pulab.tables.inputs import Cell, Inputs, Paths, Spec
from pulab.trials.artifacts import OPTIONAL, Artifact, Dataset, Method, Setting


class Keys(Artifact):
    published_tables: list[str]
    rows: dict[str, Dataset]
    settings: dict[str, Setting]
    columns: dict[str, Method]
    weightings: dict[str, str]
    priors: dict[str, str]
    tunings: dict[str, str]
    decimals: int
    unmarked: list[str] = OPTIONAL


def render(spec: Spec, inputs: Inputs, paths: Paths) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    published = pd.concat([read_published(inputs.published, table) for table in spec["published_tables"]])
    rows = spec["rows"]
    if spec["stand_ins"]:  # a stand-in's accuracy has no distance from another set's
        rows = {label: name for label, name in rows.items() if name not in spec["stand_ins"]} or rows
    cells = reading_distances(inputs.results, published, {**spec, "rows": rows})
    write_study_table(spec, cells, paths, decimals=spec["decimals"], legend="Mean distance (sd) over the cells of a data set.")


def reading_distances(results: pd.DataFrame, published: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Mean absolute difference from the published accuracy in points, by reading and data set; the closest ones are noted.

    A cell is the mean over settings and methods; its ``n`` is their number.

    Parameters
    ----------
    results : DataFrame
        Tidy results, accuracies as shares under the names ``accuracy_<tuning>_<prior>``.
    published : DataFrame
        Published cells, in percent, with rows named ``<data set> <setting>``.
    spec : mapping
        ``rows`` (label to data set), ``settings`` and ``columns`` (label to setting, to method), and the readings:
        ``weightings`` (label to a suffix of the method), ``priors`` and ``tunings`` (label to part of the metric); ``unmarked``
        lists tunings that are shown but never noted as closest.
    """
    scalars = results[(results["status"] == "ok") & (results["step"] == -1)]
    means = scalars.groupby(["dataset", "setting", "method", "metric"])["value"].mean()
    target = published.set_index(["row", "column"])["mean"]
    out: list[Cell] = []
    marked: list[bool] = []
    for label, dataset in spec["rows"].items():
        unavailable = results[(results["dataset"] == dataset) & (results["status"] == "unavailable")]["message"]
        absent = {"status": "unavailable", "note": unavailable.iloc[0]} if len(unavailable) else {"status": "not run"}
        readings = product(spec["weightings"].items(), spec["priors"].items(), spec["tunings"].items())
        for (weighting, suffix), (p, prior), (t, tuning) in readings:
            places = product(spec["settings"].items(), spec["columns"].items())
            distances = pd.Series(
                [
                    100 * means.get((dataset, setting, method + suffix, f"accuracy_{tuning}_{prior}"), np.nan)
                    - target.get((f"{label} {s}", column), np.nan)
                    for (s, setting), (column, method) in places
                ]
            )
            distances = distances.abs().dropna()
            out.append(
                {"row": f"{weighting}, {p}, {t}", "column": label, "dataset": dataset, "unit": "points"}
                | {"ours": distances.mean(), "ours_sd": distances.std(), "n": len(distances)}
                | ({} if len(distances) else absent)
            )
            marked.append(len(distances) > 0 and t not in spec.get("unmarked", ()))
    cells = cells_of(out)
    ours = cells["ours"].where(marked)
    cells.loc[ours == ours.groupby(cells["column"]).transform("min"), "note"] = "closest reading"
    return cells
