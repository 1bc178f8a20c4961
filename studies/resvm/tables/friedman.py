"""Friedman's test and average ranks over the tasks of the RESVM chapter, by setting.

The chapter publishes one p-value, without naming the form of the test.  Here, in the claims and in the figure of the ranks, it
is Iman and Davenport's F, the less conservative form.  Demšar (2006), whom the chapter follows, prefers it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pulab.tables import Paper, Results, Table
from pulab.tables.record import cells_of
from pulib.statistics import friedman_nemenyi
from studies.resvm.places import METHODS, SETTINGS, TASKS
from studies.resvm.scores import mark, scores_by_repeat

#: Minimum number of tasks for a test.
LEAST_TASKS = 5


def friedman_table(results: Results, paper: Paper) -> Table:
    """Return the test of each setting, ranks by method, and the critical difference."""
    published = paper.table("friedman").set_index(["row", "column"])["mean"]
    methods, stand_ins = {method: results.labels[method] for method in METHODS}, results.stand_ins
    out: list[dict[str, Any]] = []
    for setting, label in SETTINGS.items():
        scores = [scores_by_repeat(results.tidy, stand_ins.get(task, task), setting, list(methods)).mean() for task in TASKS]
        means = pd.DataFrame(scores).dropna().rename(columns=methods)
        common = {"row": label, "stand_in": ", ".join(sorted(set(stand_ins.values())))}
        common |= {"setting": setting, "metric": "pr_auc"}
        if len(means) < LEAST_TASKS:
            out.append(common | {"column": "p", "unit": "p", "status": "not run", "n": 0})
            continue
        test = friedman_nemenyi(means)
        done = common | {"n": test.n_datasets}
        of_paper = published.get((label, "p"), np.nan)
        out.append(done | {"column": "p", "unit": "p", "kind": "mark", "ours": test.f_pvalue, "published": of_paper})
        out[-1]["mark"] = np.nan if np.isfinite(of_paper) else mark(test.f_pvalue)
        for method, name in methods.items():
            rank = {"column": f"rank of {name}", "unit": "rank", "ours": float(test.average_ranks[name])}
            out.append(done | rank | {"method": method})
        out.append(done | {"column": "critical difference", "unit": "rank", "ours": test.critical_difference})
    legend = "Ours, over the tasks that were run, then the chapter's in italics: p of Friedman's test (Iman and Davenport's F)."
    return Table(cells_of(out), legend=legend)
