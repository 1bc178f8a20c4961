"""Tables and figures of what was measured of one kernel, or the overview of all."""

import pandas as pd

from pulab.figures.scaling import overview_figure, scaling_figure
from pulab.tables.speed import write_speed_table
from pulab.trials.logs import start_log
from pulib.plots import save_figure, style

start_log(snakemake.log[0])
specs, output = snakemake.params.specs, snakemake.output
measured = {spec["title"]: pd.read_csv(file) for file, spec in zip(snakemake.input, specs, strict=True)}
with style():
    if len(specs) == 1:
        (title, table), caption = next(iter(measured.items())), specs[0]["caption"]
        fig = scaling_figure(table, title)
    else:
        title, caption = (
            "Speed",
            "Every kernel beside its reference, in one process: how many times faster; and beside what bounds it.",
        )
        table = pd.concat([own.assign(benchmark=name + ": " + own["benchmark"]) for name, own in measured.items()])
        table = table[table["measured"].isin(["ratio", "bound"])]
        fig = overview_figure(measured)
    save_figure(fig, output.svg, output.png)
write_speed_table(table, title=title, caption=caption, paths={"md": output.md, "tex": output.tex})
