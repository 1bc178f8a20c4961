"""Tables and figures of what was measured of one kernel, or the overview of all."""

import pandas as pd

from pulab.figures.speed import overview_figure, scaling_figure
from pulab.tables.speed import overview_sheet, speed_sheet
from pulab.trials.logs import start_log
from pulib.plots import save_figure, style

start_log(snakemake.log[0])
specs, output = snakemake.params.specs, snakemake.output
measured = {spec["title"]: pd.read_csv(file) for file, spec in zip(snakemake.input, specs, strict=True)}
with style():
    fig = scaling_figure(measured[specs[0]["title"]], specs[0]["title"]) if len(specs) == 1 else overview_figure(measured)
    save_figure(fig, output.svg, output.png)
sheet = (
    speed_sheet(measured[specs[0]["title"]], title=specs[0]["title"], caption=specs[0]["caption"])
    if len(specs) == 1
    else overview_sheet(measured)
)
sheet.write({"md": output.md, "tex": output.tex, "html": output.html})
