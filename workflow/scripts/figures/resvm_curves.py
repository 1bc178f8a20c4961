"""PR and ROC curves of one repeat, all methods."""

from matplotlib.figure import Figure

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.plots._contamination import plot_curves
from pulib.plots._style import PAGE, save_figure, style

start_log(snakemake.log[0])
spec = snakemake.params.spec
dataset = spec["stand_ins"].get(spec["dataset"], spec["dataset"])
tidy = results.read(snakemake.input.results)
tidy = tidy[(tidy["dataset"] == dataset) & (tidy["setting"] == spec["setting"])]
with style():
    fig = Figure(figsize=(PAGE, 3.0))
    fig.suptitle(f"{spec['datasets'][dataset]}, {spec['label']}, one repeat", fontsize=9)
    for ax, kind, metric in zip(fig.subplots(1, 2), ("pr", "roc"), ("precision", "true_positive_rate"), strict=True):
        curves = {}
        for method in spec["compare"]:
            own = tidy[(tidy["method"] == method) & (tidy["metric"] == f"curve_{metric}")]
            if len(own):
                first = own[own["repeat"] == own["repeat"].min()].sort_values("step")
                curves[spec["methods"][method]] = first["value"].to_numpy()
        plot_curves(ax, curves, kind=kind)
        ax.legend(loc="lower left" if kind == "pr" else "lower right")
    save_figure(fig, snakemake.output.pdf, snakemake.output.png)
