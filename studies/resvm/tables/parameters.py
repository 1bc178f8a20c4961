"""Table 2.6: medians of RESVM's tuned parameters per digit and setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from pulab.tables import Paper, Results, Table
from pulab.tables.record import cells_of
from studies.resvm.places import MNIST, SETTINGS
from studies.resvm.scores import N_PUBLISHED

#: The chapter's names of parameters, by metric.
PARAMETERS = {"best_n_positive": "n_pos", "best_unlabeled_per_positive": "n_unl/n_pos", "best_w_positive": "w_pos"}


def parameter_table(results: Results, paper: Paper) -> Table:
    """Return medians by digit and setting, and how many are within one step of the grid of the chapter's."""
    cells = parameter_cells(results, paper.table("2.6"))
    grid = results.methods["resvm_resvm"].for_dataset("mnist_digit_0").grid
    steps = {label: grid[metric.removeprefix("best_")] for metric, label in PARAMETERS.items()}
    return Table(
        cells,
        kind="parameter",
        legend="Ours, medians over {repeats}, then the chapter's in italics.",
        remarks=[] if results.preset == "quick" else [within_one_step(cells, steps)],
        n_published=N_PUBLISHED,
    )


def parameter_cells(results: Results, published: pd.DataFrame) -> pd.DataFrame:
    """Return medians over repeats of tuned parameters by task, including stand-ins, and the mean of the medians."""
    of_paper, stand_ins, tidy = published.set_index(["row", "column"])["mean"], results.stand_ins, results.tidy
    of_method = tidy[(tidy["method"] == "resvm_resvm") & (tidy["step"] == -1)]
    medians = of_method.groupby(["metric", "setting", "dataset"])["value"].agg(["median", "size"])
    out = []
    for (metric, name), (setting, label) in product(PARAMETERS.items(), SETTINGS.items()):
        common = {"row": f"{name}, {label}", "unit": "parameter", "scale": 1.0}
        common |= {"setting": setting, "method": "resvm_resvm", "metric": metric}
        own = []
        for digit, task in enumerate(MNIST):
            place = (metric, setting, stand_ins.get(task, task))
            value, n = medians.loc[place] if place in medians.index else (np.nan, 0)
            own.append(
                {"column": str(digit), "ours": value, "n": int(n), "dataset": place[2], "stand_in": stand_ins.get(task, "")}
            )
        ran = pd.DataFrame(own).query("n > 0")
        stand_ins_used = ", ".join(sorted(set(ran["stand_in"]) - {""}))
        mean = {
            "column": "mean",
            "ours": ran["ours"].mean(),
            "n": ran["n"].max() if len(ran) else 0,
            "stand_in": stand_ins_used,
        }
        for cell in (*own, mean):
            status = {} if cell["n"] else {"status": "not run", "note": "not part of this run"}
            out.append(common | cell | status | {"published": of_paper.get((common["row"], cell["column"]), np.nan)})
    return cells_of(out)


def within_one_step(cells: pd.DataFrame, steps: Mapping[str, Sequence[float]]) -> str:
    """State how many medians lie within one step of the grid of the published ones.

    Parameters
    ----------
    cells : DataFrame
        From :func:`parameter_cells`; means of medians are left out.
    steps : mapping of parameter to values
        The searched values; between two of them, a step is divided in proportion.
    """
    counts = []
    for name, values in steps.items():
        tuned = cells[cells["row"].str.startswith(f"{name}, ") & (cells["column"] != "mean")].dropna(
            subset=["ours", "published"]
        )
        places = np.sort(np.asarray(values, dtype=float))
        gaps = [np.interp(tuned[side], places, np.arange(len(places))) for side in ("ours", "published")]
        counts.append((name, int(np.sum(np.abs(gaps[0] - gaps[1]) <= 1.0 + 1e-9)), len(tuned)))
    close, all_of_them = sum(near for _, near, _ in counts), sum(n for _, _, n in counts)
    each = ", ".join(f"{name} {near} of {n}" for name, near, n in counts)
    return f"{close} of {all_of_them} medians lie within one step of the grid of the chapter's ({each})."
