"""Figure 3: the AUC of SGBDota by p at λ = 1, beside the methods that have no p."""

from matplotlib.figure import Figure

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.plots._expansion import plot_auc_by_p, plot_level
from pulib.plots._sensitivity import say_nothing_to_draw
from pulib.plots._style import MARKERS, PAGE, PALETTE, save_figure, style

start_log(snakemake.log[0])
spec = snakemake.params.spec
tidy = results.read(snakemake.input.results)
tidy = tidy[tidy["setting"] == spec["show_setting"]]
sets = list(dict.fromkeys(spec["stand_ins"].get(name, name) for name in spec["show_datasets"]))
with style():
    rows = (len(sets) + 1) // 2
    fig = Figure(figsize=(PAGE, 2.6 * rows + 0.4))
    axes = fig.subplots(rows, 2, squeeze=False).ravel()
    for ax, name in zip(axes, sets, strict=False):
        own = tidy[tidy["dataset"] == name]
        drawn = [
            plot_auc_by_p(ax, own[own["method"] == method], spec["series"], label=label, color=PALETTE[i], marker=MARKERS[i])
            for i, (label, method) in enumerate(spec["by_p"].items())
        ]
        ax.set_title(spec["datasets"].get(name, name), loc="left")
        if not any(drawn):
            say_nothing_to_draw(ax)
            continue
        for i, (label, method) in enumerate(spec["levels"].items(), start=len(spec["by_p"])):
            plot_level(ax, own[own["method"] == method], "auc", label=label, color=PALETTE[i % len(PALETTE)])
        ax.set_ylabel("AUC")
    for ax in axes[len(sets) :]:
        ax.set_visible(False)
    legends = [ax.get_legend_handles_labels() for ax in axes]
    fig.legend(*max(legends, key=lambda legend: len(legend[1])), loc="outside lower center", ncols=4)
    save_figure(fig, snakemake.output.pdf, snakemake.output.png)
