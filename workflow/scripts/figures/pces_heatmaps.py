"""Figures 4 and 5: the AUC of SGBDota with one preference by λ and p."""

from matplotlib.figure import Figure

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.plots._expansion import auc_grid, plot_auc_grid
from pulib.plots._sensitivity import say_nothing_to_draw
from pulib.plots._style import PAGE, save_figure, style

start_log(snakemake.log[0])
spec = snakemake.params.spec
tidy = results.read(snakemake.input.results)
tidy = tidy[tidy["setting"].isin(spec["show_settings"]) & (tidy["method"] == spec["show_method"])]
prefix = "auc_by_p_percent_lambda_"
metrics = {float(name.removeprefix(prefix)): name for name in tidy["metric"].unique() if name.startswith(prefix)}
sets = list(dict.fromkeys(spec["stand_ins"].get(name, name) for name in spec["show_datasets"]))
with style():
    rows = (len(sets) + 1) // 2
    fig = Figure(figsize=(PAGE, 2.5 * rows))
    axes = fig.subplots(rows, 2, squeeze=False).ravel()
    for ax, name in zip(axes, sets, strict=False):
        image = plot_auc_grid(ax, auc_grid(tidy[tidy["dataset"] == name], metrics))
        if image is None:
            say_nothing_to_draw(ax)
        else:
            fig.colorbar(image, ax=ax, label="AUC")
        ax.set_title(spec["datasets"].get(name, name), loc="left")
    for ax in axes[len(sets) :]:
        ax.set_visible(False)
    save_figure(fig, snakemake.output.pdf, snakemake.output.png)
