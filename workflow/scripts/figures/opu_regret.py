"""Regret against the best weights in hindsight, and the bounds of theorems 1 and 2."""

from matplotlib.figure import Figure

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.plots._regret import plot_regret
from pulib.plots._sensitivity import say_nothing_to_draw
from pulib.plots._style import PAGE, PALETTE, save_figure, style

start_log(snakemake.log[0])
spec = snakemake.params.spec
tidy = results.read(snakemake.input.results)
tidy = tidy[tidy["setting"] == "regret"]
known = list(dict.fromkeys(tidy["dataset"]))
sets = [name for name in spec["show_datasets"] if name in known] or known[:1]
with style():
    fig = Figure(figsize=(PAGE, 2.6 * max(len(sets), 1)))
    axes = fig.subplots(max(len(sets), 1), len(spec["theorems"]), squeeze=False)
    for row, name in zip(axes, sets or [""], strict=True):
        for ax, (theorem, methods) in zip(row, spec["theorems"].items(), strict=True):
            drawn = [
                plot_regret(
                    ax,
                    tidy[(tidy["dataset"] == name) & (tidy["method"] == method)],
                    f"log10_alpha_{spec['log10_alpha']}",
                    label=spec["methods"][method],
                    color=PALETTE[i],
                )
                for i, method in enumerate(methods)
            ]
            ax.set_title(f"{theorem}, {spec['datasets'].get(name, name)}", loc="left")
            if any(drawn):
                ax.set_xlabel("steps T")
                ax.set_ylabel("regret (dashed: bound)")
                ax.legend(loc="upper left")
            else:
                say_nothing_to_draw(ax)
    save_figure(fig, snakemake.output.pdf, snakemake.output.png)
