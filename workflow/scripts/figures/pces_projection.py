"""Figure 1: all rows of each data set on its first two principal components, marked by when they turn positive."""

from matplotlib.figure import Figure

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.plots._expansion import plot_turning
from pulib.plots._style import PAGE, save_figure, style

start_log(snakemake.log[0])
spec = snakemake.params.spec
tidy = results.read(snakemake.input.results)
tidy = tidy[tidy["setting"] == spec["show_setting"]]
sets = list(dict.fromkeys(spec["stand_ins"].get(name, name) for name in spec["show_datasets"]))
sets = [name for name in sets if (tidy["dataset"] == name).any()]
with style():
    rows = max(1, (len(sets) + 1) // 2)
    fig = Figure(figsize=(PAGE, 2.9 * rows + 0.3))
    axes = fig.subplots(rows, 2, squeeze=False).ravel()
    for ax, name in zip(axes, sets, strict=False):
        plot_turning(ax, tidy[tidy["dataset"] == name])
        ax.set_title(spec["datasets"].get(name, name), loc="left")
    for ax in axes[len(sets) :]:
        ax.set_visible(False)
    if sets:
        fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    save_figure(fig, snakemake.output.pdf, snakemake.output.png)
