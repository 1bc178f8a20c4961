"""Section 2.5.6: area under the PR curve by contamination of P, and of U, the other one at 30%."""

from matplotlib.figure import Figure

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.plots._style import PAGE, save_figure, style
from pulib.plots._sweep import plot_sweep

start_log(snakemake.log[0])
spec = snakemake.params.spec
tidy = results.read(snakemake.input.results)
tidy = tidy[tidy["dataset"] == spec["dataset"]]
methods = {method: spec["methods"][method] for method in spec["compare"]}
with style():
    fig = Figure(figsize=(PAGE, 3.0))
    axes = fig.subplots(1, 2, sharey=True)
    for ax, (varied, levels) in zip(axes, spec["levels"].items(), strict=True):
        plot_sweep(ax, tidy, levels, methods, "pr_auc")
        ax.set_xlabel(f"contamination of {varied} (%)")
    axes[1].set_ylabel("")
    if axes[0].containers:
        axes[0].legend(loc="lower left")
    n = tidy[tidy["setting"].isin({s for levels in spec["levels"].values() for s in levels})]["repeat"].nunique()
    fig.suptitle(f"synthetic, {n} repeats: mean" + (" and 95% interval" if n > 2 else ""), fontsize=9)
    save_figure(fig, snakemake.output.pdf, snakemake.output.png)
