"""Critical-difference diagrams over all tasks, one per setting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from pulab.figures.panels import make_sheet, missing_note, say_nothing_to_draw
from pulab.figures.style import styles
from pulab.tables.resvm import scores_by_repeat
from pulib.plots import PAGE, critical_difference_diagram
from pulib.statistics import friedman_nemenyi


def draw(spec: Mapping[str, Any], tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration, tidy results, and printed numbers."""
    methods = {method: spec["methods"][method] for method in spec["compare"]}
    colors = {methods[method]: style.color for method, style in styles(methods, spec).items()}
    tests = published[published["table"] == "friedman"].set_index("row")["mean"]
    shown = tidy[tidy["setting"].isin(spec["settings"])]
    note = missing_note({**spec, "show_datasets": spec["tasks"]}, shown, methods)
    fig, body = make_sheet(1.95 * len(spec["settings"]), note, width=0.8 * PAGE)
    for ax, (setting, label) in zip(body.subplots(len(spec["settings"]), 1), spec["settings"].items(), strict=True):
        means = {}
        for task in spec["tasks"]:
            scores = scores_by_repeat(tidy, spec["stand_ins"].get(task, task), setting, list(methods))
            if len(scores):
                means[task] = scores.mean().rename(methods)
        if len(means) < 3:
            say_nothing_to_draw(ax)
            ax.set_title(f"{label}: {len(means)} tasks run, at least 3 are needed")
            continue
        result = friedman_nemenyi(pd.DataFrame(means).T)
        print(setting, result)
        critical_difference_diagram(result, ax, colors=colors)
        paper = f" (published {float(tests[setting]):.2g})" if setting in tests and spec["preset"] == "paper" else ""
        title = f"{label}: {len(means)} tasks, Friedman's F test, p = {result.f_pvalue:.2g}{paper}"
        ax.set_title(title, fontsize=9, pad=40, loc="left", x=-0.12)
    return fig
