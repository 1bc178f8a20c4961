"""Friedman's test and average ranks over the tasks of the RESVM chapter, by setting.

The chapter prints one p-value, without saying of which form of the test.  Here, in the claims and in the figure of the ranks it
is Iman and Davenport's F, the less conservative form, which Demšar (2006), whom the chapter follows, prefers.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pulab.tables import read_published, write_study_table
from pulab.tables.cells import cells_of
from pulab.tables.inputs import Cell, Inputs, Paths, Spec
from studies.resvm.scores import mark, scores_by_repeat
from pulab.trials.artifacts import Artifact, Dataset, Method, Setting
from pulib.statistics import friedman_nemenyi


class Keys(Artifact):
    published: str
    compare: list[Method]
    settings: dict[Setting, str]
    tasks: list[Dataset]
    least_tasks: int


def render(spec: Spec, inputs: Inputs, paths: Paths) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    published = read_published(inputs.published, str(spec["published"])).set_index(["row", "column"])["mean"]
    methods = {method: spec["methods"][method] for method in spec["compare"]}
    out: list[Cell] = []
    for setting, label in spec["settings"].items():
        scores = [
            scores_by_repeat(inputs.results, spec["stand_ins"].get(task, task), setting, list(methods)).mean()
            for task in spec["tasks"]
        ]
        means = pd.DataFrame(scores).dropna().rename(columns=methods)
        common = {"row": label, "stand_in": ", ".join(sorted(set(spec["stand_ins"].values())))}
        common |= {"setting": setting, "metric": "pr_auc"}
        if len(means) < spec["least_tasks"]:
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
    write_study_table(spec, cells_of(out), paths, legend=legend)
