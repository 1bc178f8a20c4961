"""Table 3: on how many data sets a method is significantly better, as good as, and worse than each of its rivals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from pulab.tables import read_published, write_study_table
from pulab.tables.cells import cells_of
from pulab.tables.inputs import Cell, Inputs, Paths, Spec
from pulab.trials.artifacts import Artifact, Dataset, Method, Setting
from pulib.statistics import win_tie_loss


class Keys(Artifact):
    published: str
    metric: str
    alpha: float
    test_setting: Setting
    test_datasets: list[Dataset]
    references: dict[str, Method]
    rivals: dict[str, Method]


def render(spec: Spec, inputs: Inputs, paths: Paths) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    cells = win_cells(inputs.results, read_published(inputs.published, str(spec["published"])), spec)
    legend = "Number of data sets: ours, then the paper's in italics; one data set is 25 points."
    points = 100.0 / len(spec["test_datasets"])
    write_study_table({**spec, "points": points}, cells, paths, kind="wins", decimals=0, legend=legend)


def win_cells(results: pd.DataFrame, published: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Cells with rows "<reference> against <rival>" and the columns win, tie and loss, by paired t-tests over repeats.

    A data set without results of both methods is left out and named in the cells' notes.
    """
    rows = results[(results["setting"] == spec["test_setting"]) & (results["metric"] == spec["metric"])]
    rows = rows[(rows["status"] == "ok") & (rows["step"] == -1)]
    scores = rows.pivot(index=["dataset", "repeat"], columns="method", values="value")
    of_paper = {(r.row, r.column): r.mean for r in published.itertuples(index=False)}
    stand_ins = {name: spec["stand_ins"][name] for name in spec["test_datasets"] if name in spec["stand_ins"]}
    datasets = [stand_ins.get(name, name) for name in spec["test_datasets"]]
    out = []
    for (reference, own), (rival, other) in product(spec["references"].items(), spec["rivals"].items()):
        pairs, left_out = _pairs(scores, own, other, datasets)
        counts = win_tie_loss(pairs, alpha=spec["alpha"])
        row: Cell = {"row": f"{reference} against {rival}", "stand_in": ", ".join(sorted(set(stand_ins.values())))}
        row |= {"unit": "count", "n": min((len(a) for a, _ in pairs), default=0), "status": "ok" if pairs else "not run"}
        row["note"] = f"without {', '.join(left_out)}" if left_out and pairs else ""
        for column, count in (("win", counts.wins), ("tie", counts.ties), ("loss", counts.losses)):
            numbers = {"published": of_paper.get((row["row"], column), np.nan), "ours": float(count) if pairs else np.nan}
            out.append(row | {"column": column} | numbers)
    return cells_of(out)


def _pairs(scores: pd.DataFrame, reference: str, rival: str, datasets: Sequence[str]) -> tuple[list, list[str]]:
    pairs, left_out = [], []
    for dataset in datasets:
        here = scores[scores.index.get_level_values("dataset") == dataset].reindex(columns=[reference, rival]).dropna()
        if len(here) >= 2:
            pairs.append((here[reference].to_numpy(), here[rival].to_numpy()))
        else:
            left_out.append(dataset)
    return pairs, left_out
