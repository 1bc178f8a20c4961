"""Table 2.5: wins per setting, unweighted and with each multi-class set counted once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from pulab.tables import Paper, Results, Table
from pulab.tables.record import cells_of
from pulib.statistics import win_counts
from studies.resvm.places import FAMILIES, METHODS, SETTINGS
from studies.resvm.scores import N_PUBLISHED, scores_by_repeat, share


def win_table(results: Results, paper: Paper) -> Table:
    return Table(win_cells(results, paper.table("2.5")), kind="wins", decimals=1)


def win_cells(results: Results, published: pd.DataFrame) -> pd.DataFrame:
    """Return shares of wins over all repeats of all data sets, and the same with each family of one-vs-rest tasks counted once.

    The counts behind the shares, which the chapter also publishes, are included.  A family's wins are divided by the number of
    its tasks.  Data sets without scores are named in the cells' notes.  Standard deviations are those of a single comparison
    (won or not); the paper's follow from its shares.  ``n`` and ``n_published`` are numbers of comparisons; with unequal
    weights, they are effective sample sizes.
    """
    methods = {method: results.labels[method] for method in METHODS}
    of_paper = published.set_index(["row", "column"])["mean"]
    there = np.repeat([1.0 / len(tasks) for tasks in FAMILIES.values() for _ in tasks], N_PUBLISHED)
    out = []
    for setting, label in SETTINGS.items():
        wins, weights, stand_ins_used, left_out = _wins_by_task(results.tidy, methods, setting, results.stand_ins)
        ran = {
            "status": "ok",
            "note": f"without {', '.join(left_out)}" if left_out else "",
            "stand_in": ", ".join(stand_ins_used),
        }
        not_run = {"status": "not run", "note": "not part of this run"}
        here = np.repeat(weights["weight"], weights["n"])
        for kind, power in (("raw", 0), ("normalized", 1)):
            counts = (wins * weights["weight"].to_numpy()[:, None] ** power).sum()
            numbers = {"n": _equivalent(here**power), "n_published": _equivalent(there**power)}
            common = {"row": f"{label}, {kind}", "unit": "%", **numbers, **(ran if len(wins) else not_run)}
            common = common | {"setting": setting, "metric": "pr_auc", "scale": 100.0}
            for method, column in methods.items():
                common["method"] = method
                ours = share(counts[method], counts.sum(), "ours")
                theirs = share(of_paper.get((common["row"], f"{column} win %"), np.nan), 100.0, "published")
                out.append(common | ours | theirs | {"column": f"{column} win %", "kind": "wins"})
                theirs = share(of_paper.get((common["row"], f"{column} count"), np.nan), np.sum(there**power), "published")
                totals = {"total": counts.sum(), "published_total": np.sum(there**power)}
                out.append(common | ours | theirs | totals | {"column": f"{column} count", "kind": "count"})
    return cells_of(out)


def _wins_by_task(
    tidy: pd.DataFrame, methods: Mapping[str, str], setting: str, stand_ins: Mapping[str, str]
) -> tuple[pd.DataFrame, pd.DataFrame, list[str], list[str]]:
    """Return wins of each task that has scores, its repeats and weight, the stand-ins, and what has no scores."""
    wins, weights, stand_ins_used, left_out = [], [], [], []
    for family, tasks in FAMILIES.items():
        missing = []
        for task in tasks:
            scores = scores_by_repeat(tidy, stand_ins.get(task, task), setting, list(methods))
            if not len(scores):
                missing.append(task)
                continue
            # ties are shared, so that shares add up to 100
            wins.append(win_counts(scores, ties="split"))
            weights.append((len(scores), 1.0 / len(tasks)))
            stand_ins_used += [stand_ins[task]] if task in stand_ins else []
        left_out += [family] if len(missing) == len(tasks) else missing
    columns = pd.DataFrame(wins, columns=list(methods)).reset_index(drop=True)
    return columns, pd.DataFrame(weights, columns=["n", "weight"]).astype({"n": int}), sorted(set(stand_ins_used)), left_out


def _equivalent(weights: np.ndarray) -> int:
    """Effective number of equally weighted comparisons (Kish's effective sample size)."""
    return round(np.sum(weights) ** 2 / np.sum(np.square(weights))) if len(weights) else 0
