"""Maps of the importances of pixels, one column per digit and one row per method."""

from matplotlib.figure import Figure

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.plots._importance import choose_dataset, plot_importance_map, series_by_repeat
from pulib.plots._style import PAGE, save_figure, style

start_log(snakemake.log[0])
spec = snakemake.params.spec
tidy = results.read(snakemake.input.results)
dataset, tidy = choose_dataset(tidy, spec["choose"], spec["stand_ins"])
tidy = tidy[tidy["setting"] == "class_importance"]
title = f"{spec['datasets'].get(dataset, dataset).split(',')[0]}, each digit against the rest"
with style():
    fig = Figure(figsize=(PAGE, 1.9))
    fig.suptitle(title, x=0.01, ha="left", fontsize=9)
    axes = fig.subplots(len(spec["rows"]), 10, squeeze=False)
    for row, (label, method) in zip(axes, spec["rows"].items(), strict=True):
        own = tidy[tidy["method"] == method]
        row[0].set_ylabel(label, fontsize=7)
        for digit, ax in enumerate(row):
            importances = series_by_repeat(own, f"{spec['importance']}_{digit}")
            if len(importances):
                plot_importance_map(ax, importances.mean().to_numpy())
            else:
                ax.set_axis_off()
                if digit == 0:  # one line for the row, which takes no room from the others
                    ax.text(0.0, 0.5, f"{label}: not part of this run", color="#777777", fontsize=8).set_in_layout(False)
            if ax in axes[0]:
                ax.set_title(str(digit), fontsize=8)
    save_figure(fig, snakemake.output.pdf, snakemake.output.png)
