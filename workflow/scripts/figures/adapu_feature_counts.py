"""How often each feature was chosen, with random thresholds and with all of them: a column per data set."""

from matplotlib.figure import Figure

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.plots._curves import make_panels, panel_sets
from pulib.plots._feature_counts import plot_feature_counts, shown_counts
from pulib.plots._style import PAGE, PALETTE, save_figure, style

start_log(snakemake.log[0])
spec = snakemake.params.spec
methods = spec["show_methods"]
tidy = results.read(snakemake.input.results)
tidy = tidy[(tidy["setting"] == "published") & (tidy["repeat"] == 0) & (tidy["metric"] == "feature_counts")]
counts = {key: own.sort_values("step")["value"].to_numpy() for key, own in tidy.groupby(["dataset", "method"])}
sets = panel_sets(spec["show_datasets"], tidy["dataset"], spec["stand_ins"], spec["datasets"] | spec.get("titles", {}))
sets = [(name, title) for name, title in sets if all((name, method) in counts for method in methods)]
panels = [(name, method, title) for method in methods for name, title in sets]
with style():
    fig = Figure(figsize=(PAGE, 2.3 * len(methods) + 0.3))
    axes = make_panels(fig, [(name, "") for name, _, _ in panels], columns=max(1, len(sets)))
    for ax, (name, method, title) in zip(axes, panels, strict=True):
        most = max(shown_counts(counts[name, other]).max() for other in methods)
        image = plot_feature_counts(ax, counts[name, method], color=PALETTE[methods.index(method)], most=most)
        chosen = int((counts[name, method] > 0).sum())
        ax.set_title("\n".join([title.split(",")[0], *spec["methods"][method].split(", "), f"{chosen} features"]), fontsize=7)
        if image is not None:
            fig.colorbar(image, ax=ax, shrink=0.75)
    save_figure(fig, snakemake.output.pdf, snakemake.output.png)
