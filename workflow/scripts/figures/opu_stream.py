"""Test accuracy by the number of rows that a stream has shown."""

from matplotlib.figure import Figure

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.plots._sensitivity import plot_learning_curve, say_nothing_to_draw
from pulib.plots._style import PAGE, PALETTE, save_figure, style

start_log(snakemake.log[0])
spec = snakemake.params.spec
tidy = results.read(snakemake.input.results)
tidy = tidy[tidy["setting"] == "stream"]
known = list(dict.fromkeys(tidy["dataset"]))
sets = [name for name in spec["show_datasets"] if name in known] or known[:1] or [""]
columns = min(3, len(sets))
rows = -(-len(sets) // columns)
with style():
    fig = Figure(figsize=(PAGE, 2.4 * rows + 0.5))
    axes = fig.subplots(rows, columns, squeeze=False).ravel()
    handles = {}
    for ax, name in zip(axes, sets, strict=False):
        drawn = [
            plot_learning_curve(
                ax,
                tidy[(tidy["dataset"] == name) & (tidy["method"] == method)],
                f"accuracy_by_rows_seen_{spec['prior']}",
                label=spec["methods"][method],
                color=PALETTE[i],
            )
            for i, method in enumerate(spec["show_methods"])
        ]
        ax.set_title(spec["datasets"].get(name, name), loc="left")
        if any(drawn):
            ax.set_xlabel("rows seen")
            ax.set_ylabel("test accuracy")
            handles.update({h.get_label(): h for h in ax.get_lines()})
        else:
            say_nothing_to_draw(ax)
    for ax in axes[len(sets) :]:
        ax.set_axis_off()
    fig.legend(handles=list(handles.values()), loc="outside lower center", ncols=2)
    save_figure(fig, snakemake.output.pdf, snakemake.output.png)
