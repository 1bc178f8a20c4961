"""Figure 1: test accuracy by λ, and by the class prior that the method is told."""

from matplotlib.figure import Figure

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.plots._sensitivity import plot_sensitivity, say_nothing_to_draw
from pulib.plots._style import MARKERS, PAGE, PALETTE, save_figure, style

start_log(snakemake.log[0])
spec = snakemake.params.spec
tidy = results.read(snakemake.input.results)
tidy = tidy[(tidy["setting"] == "sensitivity") & (tidy["method"] == spec["show_method"])]
sets = list(dict.fromkeys(spec["stand_ins"].get(name, name) for name in spec["show_datasets"]))
panels = [
    ("accuracy_by_alpha", r"$\lambda$", True),
    ("accuracy_by_prior_percent", r"$\hat\pi\,/\,\pi$", False),
]
with style():
    fig = Figure(figsize=(PAGE, 3.1))
    for number, (ax, (series, axis, logarithmic)) in enumerate(zip(fig.subplots(1, 2, sharey=True), panels, strict=True)):
        drawn = [
            plot_sensitivity(
                ax,
                tidy[tidy["dataset"] == name],
                f"{series}_{spec['prior']}",
                label=spec["datasets"].get(name, name),
                color=PALETTE[i],
                marker=MARKERS[i],
                logarithmic=logarithmic,
            )
            for i, name in enumerate(sets)
        ]
        ax.set_xlabel(axis)
        ax.set_title("ab"[number], loc="left")
        if not any(drawn):
            say_nothing_to_draw(ax)
        elif number == 0:
            ax.set_ylabel("test accuracy")
            handles, labels = ax.get_legend_handles_labels()
            fig.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    save_figure(fig, snakemake.output.pdf, snakemake.output.png)
