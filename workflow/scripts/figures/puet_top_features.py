"""Accuracy with the k most important features, by either importance, and the difference of the areas under the curves."""

from matplotlib.figure import Figure

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.plots._importance import choose_dataset, plot_accuracy_by_features, series_by_repeat
from pulib.plots._sensitivity import say_nothing_to_draw
from pulib.plots._style import COLUMN, save_figure, style

RANKINGS = {"risk reduction": "accuracy_by_risk_reduction", "impurity reduction": "accuracy_by_impurity_reduction"}

start_log(snakemake.log[0])
spec = snakemake.params.spec
tidy = results.read(snakemake.input.results)
dataset, tidy = choose_dataset(tidy, spec["choose"], spec["stand_ins"])
tidy = tidy[tidy["setting"] == "top_features"]
with style():
    fig = Figure(figsize=(1.3 * COLUMN, 3.0))
    ax = fig.add_subplot()
    ax.set_title(spec["datasets"].get(dataset, dataset), loc="left", fontsize=9)
    curves = {label: series_by_repeat(tidy, metric) for label, metric in RANKINGS.items()}
    if all(len(curve) for curve in curves.values()):
        plot_accuracy_by_features(ax, curves)
        difference = tidy.loc[tidy["metric"] == "area_difference", "value"].mean()
        ax.text(0.98, 0.34, f"area difference: {difference:.2f}", transform=ax.transAxes, ha="right", fontsize=8)
    else:
        say_nothing_to_draw(ax)
    save_figure(fig, snakemake.output.pdf, snakemake.output.png)
