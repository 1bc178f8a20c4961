"""Tables of the Ada-PU paper; each function makes the table of its name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pulab.tables import Paper, Results, Table, comparison, place
from pulab.tables.record import cells_of
from studies.adapu.study import READINGS

BREAST_CANCER = {"BREASTCANCER, released": "released", "BREASTCANCER, P = 135": "half", "BREASTCANCER, shuffled": "shuffled"}
SETS = (
    place("CIFAR-10", dataset="cifar10"),
    place("EPSILON", dataset="epsilon"),
    place("UNSW-NB15", dataset="unsw_nb15"),
    place("BREASTCANCER", dataset="breast_cancer"),
    place("UNSW-NB15, 82k rows", dataset="unsw_nb15_82k"),
    *(place(label, dataset="breast_cancer", setting=setting) for label, setting in BREAST_CANCER.items()),
    place("MNIST", dataset="mnist"),
)
ACTIVATIONS = {"relu": "ReLU", "softsign": "Softsign"}
#: For each column of table_readings, the published row and column to compare with.
TARGETS = {
    "BREASTCANCER": ("BREASTCANCER", "ADAPU"),
    "BREASTCANCER, P = 135": ("BREASTCANCER", "ADAPU"),
    "CIFAR-10, pixels": ("CIFAR-10", "NNPU-MLP"),
    "UNSW-NB15, 82k rows": ("UNSW-NB15", "ADAPU"),
}


def table1(results: Results, paper: Paper) -> Table:
    """Count the layers of the networks that the methods specify."""
    of_paper = {cell.row: cell.mean for cell in paper.table("1").itertuples() if cell.column == "MLP layers"}
    rows = []
    for row in (SETS[0], SETS[1], SETS[3], SETS[2]):
        dataset = row.select["dataset"]
        place_of = {"row": row.label, "column": "MLP layers", "dataset": dataset}
        rows.append({**place_of, "published": of_paper[row.label], "unit": "layers", "n": 1, **_layers(results, dataset)})
    return Table(cells_of(rows), kind="fact", decimals=0)


def _layers(results: Results, dataset: str) -> dict[str, Any]:
    params = results.methods["nnpu_mlp"].for_dataset(dataset).params
    body = params["body_params"]
    sizes = [results.n_features[dataset], *[body["width"]] * body["hidden_layers"], 1]
    norm = ["batch norm"] if body["batch_norm"] else []
    parts = ["-".join(map(str, sizes)), *norm, ACTIVATIONS[body.get("activation", "relu")]]
    return {"ours": float(len(sizes)), "note": f"{', '.join(parts)}; {params.get('optimizer', 'adam').capitalize()}"}


def table2(results: Results, paper: Paper) -> Table:
    labels = [row.label for row in SETS]
    columns = [
        place("NNPU-CNN", method="nnpu_cnn", rows=["CIFAR-10"]),  # convolutional networks are for images
        place("NNPU-MLP", method="nnpu_mlp"),
        place("NNPU-LINEAR", method="nnpu_linear"),
        place("UPU", method="upu_mlp"),
        place("XGBOOST", method="pn_xgboost"),
        place(
            "XGBOOST, ν = 0.1",
            published="XGBOOST",
            reading="other",
            rows=[label for label in labels if label not in BREAST_CANCER],
            method="pn_xgboost_old",
        ),
        place("GBDT", method="pn_gbdt"),
        place("ADABOOST", method="pn_adaboost"),
        place("ADAPU", method="adapu_cnn", rows=["CIFAR-10"]),
        place("ADAPU", method="adapu", rows=[label for label in labels if label != "CIFAR-10"]),
        place("ADAPU, pixels", method="adapu", rows=["CIFAR-10"]),
    ]
    return comparison(results, paper, "2", SETS, columns, metric="accuracy", scale=100, setting="published")


def table_readings(results: Results, paper: Paper) -> Table:
    """Return each interpretation's accuracy by data set, and its mean distance from the published accuracies.

    The smallest distance is noted.  Data sets that have stand-ins are left out.
    """
    published = paper.table("2")
    target = published.set_index(["row", "column"])["mean"].to_dict()
    rows = [place(label, metric=f"accuracy_{name}") for name, (label, _) in READINGS.items()]
    columns = [
        place("BREASTCANCER", dataset="breast_cancer", setting="readings"),
        place("BREASTCANCER, P = 135", dataset="breast_cancer", setting="readings_half"),
        place("CIFAR-10, pixels", dataset="cifar10", setting="readings"),
        place("UNSW-NB15, 82k rows", dataset="unsw_nb15_82k", setting="readings"),
        place("MNIST", dataset="mnist", setting="readings"),
    ]
    columns = [column for column in columns if column.select["dataset"] not in results.stand_ins]
    cells = comparison(results, Paper(published.iloc[:0]), "", rows, columns, scale=100.0).cells
    goals = {column.label: target[TARGETS[column.label]] for column in columns if column.label in TARGETS}
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
    return Table(pd.concat([cells, distances], ignore_index=True), decimals=1)
