"""Regret against the best weights in hindsight: its growth, and its share of the bounds of theorems 1 and 2."""

from matplotlib.figure import Figure

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.plots._regret import plot_regret_growth, plot_regret_share
from pulib.plots._sensitivity import say_nothing_to_draw
from pulib.plots._style import PAGE, PALETTE, save_figure, style

start_log(snakemake.log[0])
spec = snakemake.params.spec
tidy = results.read(snakemake.input.results)
tidy = tidy[tidy["setting"] == "regret"]
known = list(dict.fromkeys(tidy["dataset"]))
name = spec["show_dataset"] if spec["show_dataset"] in known or not known else known[0]
tidy = tidy[tidy["dataset"] == name]
suffix = f"log10_alpha_{spec['log10_alpha']}"
panels = [(plot_regret_growth, "regret(T) / regret at the end"), (plot_regret_share, "regret(T) / bound(T)")]
with style():
    fig = Figure(figsize=(PAGE, 5.2))
    fig.suptitle(spec["datasets"].get(name, name), x=0.01, ha="left", fontsize=9)
    for row, (theorem, methods) in zip(fig.subplots(len(spec["theorems"]), 2), spec["theorems"].items(), strict=True):
        for ax, (plot, axis) in zip(row, panels, strict=True):
            drawn = [
                plot(ax, tidy[tidy["method"] == method], suffix, label=label, color=PALETTE[i])
                for i, (label, method) in enumerate(methods.items())
            ]
            ax.set_title(theorem, loc="left")
            if any(drawn):
                ax.set_xlabel("steps T")
                ax.set_ylabel(axis)
                ax.legend(loc="upper left" if plot is plot_regret_growth else "center left", fontsize=7)
            else:
                say_nothing_to_draw(ax)
    save_figure(fig, snakemake.output.pdf, snakemake.output.png)
