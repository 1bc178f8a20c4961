"""Test accuracy of Ada-PU by round, a line per learning rate β."""

import matplotlib as mpl
from matplotlib.figure import Figure

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.plots._curves import make_panels, panel_sets, plot_curve
from pulib.plots._style import PAGE, save_figure, style

start_log(snakemake.log[0])
spec = snakemake.params.spec
tidy = results.read(snakemake.input.results)
tidy = tidy[(tidy["setting"] == "learning_rates") & (tidy["status"] == "ok")]
sets = panel_sets(spec["show_datasets"], tidy["dataset"], spec["stand_ins"], spec["datasets"] | spec.get("titles", {}))
rates = spec["learning_rates"]
with style():
    fig = Figure(figsize=(PAGE, 2.3 * max(1, -(-len(sets) // 3)) + 0.6))
    colors = mpl.colormaps["viridis_r"]([(i + 1) / len(rates) for i in range(len(rates))])
    handles = {}
    for ax, (dataset, _) in zip(make_panels(fig, sets), sets, strict=True):
        own = tidy[tidy["dataset"] == dataset]
        for rate, color in zip(rates, colors, strict=True):
            plot_curve(ax, own, f"accuracy_by_round_{rate:g}", label=f"β = {rate:g}", color=color, band=False)
        ax.set_xlabel("rounds")
        ax.set_ylabel("test accuracy in %")
        handles.update({line.get_label(): line for line in ax.get_lines()})
    if handles:
        fig.legend(handles=list(handles.values()), loc="outside lower center", ncols=8, columnspacing=1.0, handlelength=1.2)
    save_figure(fig, snakemake.output.pdf, snakemake.output.png)
