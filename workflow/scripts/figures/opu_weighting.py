"""What the weighting of the stream does: test accuracy by the share of positives whose labels are hidden."""

from matplotlib.figure import Figure

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.plots._sensitivity import plot_by_setting, say_nothing_to_draw
from pulib.plots._style import MARKERS, PAGE, PALETTE, save_figure, style

start_log(snakemake.log[0])
spec = snakemake.params.spec
tidy = results.read(snakemake.input.results)
tidy = tidy[tidy["metric"] == spec["metric"]]
known = list(dict.fromkeys(tidy["dataset"]))
sets = [name for name in spec["show_datasets"] if name in known] or known[:1] or [""]
columns = min(3, len(sets))
rows = -(-len(sets) // columns)
with style():
    fig = Figure(figsize=(PAGE, 2.3 * rows + 0.6))
    axes = fig.subplots(rows, columns, squeeze=False).ravel()
    handles = {}
    for ax, name in zip(axes, sets, strict=False):
        drawn = [
            plot_by_setting(
                ax,
                tidy[(tidy["dataset"] == name) & (tidy["method"] == method)],
                spec["settings"],
                label=label,
                color=PALETTE[i],
                marker=MARKERS[i],
            )
            for i, (label, method) in enumerate(spec["lines"].items())
        ]
        ax.set_title(spec["datasets"].get(name, name), loc="left")
        if any(drawn):
            ax.set_xlabel("positives without a label")
            ax.set_ylabel("test accuracy")
            for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
                handles.setdefault(label, handle)
        else:
            say_nothing_to_draw(ax)
    for ax in axes[len(sets) :]:
        ax.set_axis_off()
    fig.legend(handles=list(handles.values()), labels=list(handles), loc="outside lower center", ncols=3)
    save_figure(fig, snakemake.output.pdf, snakemake.output.png)
