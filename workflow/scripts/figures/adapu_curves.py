"""Test accuracy by round or epoch: a panel per data set, a line per method."""

from matplotlib.figure import Figure

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.plots._curves import make_panels, panel_sets, plot_curve
from pulib.plots._style import PAGE, PALETTE, save_figure, style

start_log(snakemake.log[0])
spec = snakemake.params.spec
tidy = results.read(snakemake.input.results)
tidy = tidy[(tidy["setting"] == "published") & (tidy["status"] == "ok") & tidy["method"].isin(spec["show_methods"])]
sets = panel_sets(spec["show_datasets"], tidy["dataset"], spec["stand_ins"], spec["datasets"] | spec.get("titles", {}))
with style():
    fig = Figure(figsize=(PAGE, 2.3 * max(1, -(-len(sets) // 3)) + 0.5))
    handles = {}
    for ax, (dataset, _) in zip(make_panels(fig, sets), sets, strict=True):
        for i, method in enumerate(spec["show_methods"]):
            own = tidy[(tidy["dataset"] == dataset) & (tidy["method"] == method)]
            plot_curve(ax, own, "accuracy_by_round", label=spec["methods"][method], color=PALETTE[i])
        ax.set_xlabel(spec["xlabel"])
        ax.set_ylabel("test accuracy in %")
        handles.update({line.get_label(): line for line in ax.get_lines()})
    if handles:
        fig.legend(handles=list(handles.values()), loc="outside lower center", ncols=4)
    save_figure(fig, snakemake.output.pdf, snakemake.output.png)
