"""Importances of the most important features, one panel per method."""

from matplotlib.figure import Figure

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.plots._importance import choose_dataset, plot_importance_bars, series_by_repeat
from pulib.plots._sensitivity import say_nothing_to_draw
from pulib.plots._style import PAGE, PALETTE, save_figure, style

start_log(snakemake.log[0])
spec = snakemake.params.spec
tidy = results.read(snakemake.input.results)
dataset, tidy = choose_dataset(tidy, spec["choose"], spec["stand_ins"])
tidy = tidy[tidy["setting"] == "standard"]
with style():
    fig = Figure(figsize=(PAGE, 3.8))
    fig.suptitle(spec["datasets"].get(dataset, dataset), x=0.01, ha="left", fontsize=9)
    for ax, (label, method), color in zip(fig.subplots(1, len(spec["panels"])), spec["panels"].items(), PALETTE, strict=False):
        importances = series_by_repeat(tidy[tidy["method"] == method], "importance")
        ax.set_title(label, loc="left")
        if len(importances):
            names = spec.get("feature_names", {}).get(dataset)
            plot_importance_bars(ax, importances, names=names, show=spec["show"], color=color)
        else:
            say_nothing_to_draw(ax)
    save_figure(fig, snakemake.output.pdf, snakemake.output.png)
