"""Tables of the PCES paper and of its other interpretations; each function makes the table of its name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from pulab.tables import Paper, Results, Table, comparison, place
from pulab.tables.record import cells_of
from pulib.statistics import paired_t
from studies.pces.study import PREFERENCES, REAL

SETS = (
    place("posto", dataset="postoperative"),
    place("segment", dataset="segment_foliage"),
    place("veteran", dataset="veteran"),
    place("pbc", dataset="pbc_recorded"),
)
MORE_SETS = (
    *SETS,
    place("synthetic", dataset="expanding_clusters"),
    # the data as described in the text; the main ones were chosen after looking at the published values
    place("segment, with path", published="segment", reading="before", dataset="segment"),
    place("pbc, censored left out", published="pbc", reading="before", dataset="pbc"),
    place("pbc, the trial's patients", published="pbc", reading="other", dataset="pbc_trial"),
)
FORMS = {f"SGBDota-{number}": f"sgbdota_{number}_pruned" for number in PREFERENCES}
RIVALS = {
    "GetEnsemble": "get_ensemble",
    "SGBAUC": "sgbauc_pruned",
    "PU-SVM": "pu_svm",
    "RF": "random_forest_100",
    "Random": "random_ranking",
}
METHODS = (
    *(place(label, method=method) for label, method in (FORMS | RIVALS).items()),
    place("PU-SVM, γ by variance", published="PU-SVM", reading="other", method="pu_svm_scale"),
    place("SGBDota-3, [0, 1]", published="SGBDota-3", reading="other", method="sgbdota_3_unit"),
)
STEPS = {
    "Newton": "pruned",
    "damped": "damped",
    "search": "search",
    "initial": "initial",
    "published": "printed",
    "gradient": "gradient",
}
AREAS: dict[str, Any] = {"metric": "auc", "decimals": 3, "n_published": 20, "setting": "expansion"}


def table2(results: Results, paper: Paper) -> Table:
    return comparison(results, paper, "2", MORE_SETS, METHODS, **AREAS)


def table2_new(results: Results, paper: Paper) -> Table:
    return comparison(results, paper, "new", MORE_SETS, METHODS, metric="auc_new", decimals=3, setting="expansion")


def table_steps(results: Results, paper: Paper) -> Table:
    columns = [
        place(f"{number}, {step}", published=f"SGBDota-{number}", method=f"sgbdota_{number}_{suffix}")
        for number in PREFERENCES
        for step, suffix in STEPS.items()
    ]
    return comparison(results, paper, "2", SETS, columns, **AREAS)


def table_trees(results: Results, paper: Paper) -> Table:
    pruned = FORMS | {"SGBAUC": "sgbauc_pruned"}
    columns = [
        column
        for label, method in pruned.items()
        for column in (
            place(label, method=method),
            place(f"{label}, not pruned", published=label, method=method.removesuffix("_pruned")),
        )
    ]
    return comparison(results, paper, "2", SETS, columns, **AREAS)


def table3(results: Results, paper: Paper) -> Table:
    legend = "Number of data sets: ours, then the paper's in italics; one data set is 25 points."
    return Table(win_cells(results, paper.table("3")), kind="wins", decimals=0, legend=legend)


def win_cells(results: Results, published: pd.DataFrame) -> pd.DataFrame:
    """Return cells with rows "<reference> against <rival>" and the columns win, tie and loss, by paired t-tests over repeats.

    Data sets without results of both methods are left out and named in the cells' notes.
    """
    tidy = results.tidy
    rows = tidy[(tidy["setting"] == "expansion") & (tidy["metric"] == "auc")]
    rows = rows[(rows["status"] == "ok") & (rows["step"] == -1)]
    scores = rows.pivot(index=["dataset", "repeat"], columns="method", values="value")
    of_paper = {(r.row, r.column): r.mean for r in published.itertuples(index=False)}
    stand_ins = {name: results.stand_ins[name] for name in REAL if name in results.stand_ins}
    datasets = [stand_ins.get(name, name) for name in REAL]
    out = []
    for (reference, own), (rival, other) in product(FORMS.items(), RIVALS.items()):
        pairs, left_out = _pairs(scores, own, other, datasets)
        tests = [paired_t(a, b) for a, b in pairs]
        won = [np.sign(test.effect) if test.pvalue < 0.05 else 0 for test in tests]
        row: dict[str, Any] = {"row": f"{reference} against {rival}", "stand_in": ", ".join(sorted(set(stand_ins.values())))}
        row |= {"unit": "count", "n": min((len(a) for a, _ in pairs), default=0), "status": "ok" if pairs else "not run"}
        row["note"] = f"without {', '.join(left_out)}" if left_out and pairs else ""
        for column, sign in (("win", 1), ("tie", 0), ("loss", -1)):
            ours = float(won.count(sign)) if pairs else np.nan
            numbers = {"published": of_paper.get((row["row"], column), np.nan), "ours": ours}
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
