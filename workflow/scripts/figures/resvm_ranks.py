"""Critical-difference diagrams over all tasks, one per setting."""

import pandas as pd
from matplotlib.figure import Figure

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.plots import critical_difference_diagram
from pulib.plots._sensitivity import say_nothing_to_draw
from pulib.plots._style import PAGE, save_figure, style
from pulib.statistics import friedman_nemenyi
from pulib.tables.resvm import scores_by_repeat

start_log(snakemake.log[0])
spec = snakemake.params.spec
tidy = results.read(snakemake.input.results)
methods = {method: spec["methods"][method] for method in spec["compare"]}
with style():
    fig = Figure(figsize=(PAGE * 0.75, 2.2 * len(spec["settings"])))
    for ax, (setting, label) in zip(fig.subplots(len(spec["settings"]), 1), spec["settings"].items(), strict=True):
        means = {}
        for task in spec["tasks"]:
            scores = scores_by_repeat(tidy, spec["stand_ins"].get(task, task), setting, list(methods), "pr_auc")
            if len(scores):
                means[task] = scores.mean().rename(methods)
        if len(means) < 3:
            say_nothing_to_draw(ax)
            ax.set_title(f"{label}: {len(means)} tasks run, at least 3 are needed")
            continue
        result = friedman_nemenyi(pd.DataFrame(means).T)
        print(setting, result)
        critical_difference_diagram(result, ax)
        ax.set_title(f"{label}: {len(means)} tasks, Friedman p = {result.chi2_pvalue:.2g}", fontsize=9, pad=40)
    save_figure(fig, snakemake.output.pdf, snakemake.output.png)
