"""Figure 2.3: densities of the synthetic training sets, one row per setting."""

from matplotlib.figure import Figure

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.plots._contamination import plot_density
from pulib.plots._style import COLUMN, save_figure, style

start_log(snakemake.log[0])
spec = snakemake.params.spec
tidy = results.read(snakemake.input.results)
tidy = tidy[(tidy["dataset"] == spec["dataset"]) & tidy["metric"].str.startswith("density_")]
with style():
    fig = Figure(figsize=(COLUMN * 1.4, 2.1 * len(spec["settings"])))
    axes = fig.subplots(len(spec["settings"]), 2, squeeze=False, sharex=True, sharey=True)
    for row, (setting, label) in zip(axes, spec["settings"].items(), strict=True):
        for ax, part, name in zip(row, ("labeled", "unlabeled"), ("P", "U"), strict=True):
            values = tidy[(tidy["setting"] == setting) & (tidy["metric"] == f"density_{part}")].sort_values("step")["value"]
            if len(values):
                plot_density(ax, values.to_numpy(), spec["extent"], f"{label}: {name}")
            else:
                ax.set_title(f"{label}: {name} (not run)")
    save_figure(fig, snakemake.output.pdf, snakemake.output.png)
