"""Tables and figures of what was measured of one kernel, or the overview of all."""

import pandas as pd
from matplotlib.figure import Figure

from pulib.experiments.logs import start_log
from pulib.plots._scaling import plot_ratios, scaling_figure
from pulib.plots._style import PAGE, save_figure, style
from pulib.tables.speed import write_speed_table

start_log(snakemake.log[0])
specs, output = snakemake.params.specs, snakemake.output
measured = {spec["title"]: pd.read_csv(file) for file, spec in zip(snakemake.input, specs, strict=True)}
with style():
    if len(specs) == 1:
        (title, table), caption = next(iter(measured.items())), specs[0]["caption"]
        table.to_csv(output.csv, index=False)
        fig = scaling_figure(table, title)
    else:
        title, caption = "Speed", "Every kernel beside its reference, in one process: how many times faster."
        table = pd.concat([own.assign(benchmark=name + ": " + own["benchmark"]) for name, own in measured.items()])
        table = table[table["kind"] == "ratio"]
        fig = Figure(figsize=(PAGE, 0.8 + 0.19 * len(table)))
        plot_ratios(fig.add_subplot(), table)
    save_figure(fig, output.pdf, output.png)
write_speed_table(table, title=title, caption=caption, paths={"md": output.md, "tex": output.tex})
