"""Tables and figures of what was measured of one kernel, or the overview of all."""

from pathlib import Path

import pandas as pd

from pulab.benchmarks.history import elsewhere, read_history
from pulab.figures.speed import overview_figure, scaling_figure
from pulab.tables.speed import overview_sheet, speed_sheet
from pulab.trials.logs import start_log
from pulib.plots import save_figure, style

start_log(snakemake.log[0])
specs, output = snakemake.params.specs, snakemake.output
files = dict(zip((spec["title"] for spec in specs), snakemake.input.measured, strict=True))
measured = {title: pd.read_csv(file) for title, file in files.items()}
history = read_history(Path(file).parents[1] for file in snakemake.input.history)
found = elsewhere(history, {Path(file).stem: measured[title] for title, file in files.items()})
others = {title: found[Path(file).stem] for title, file in files.items()}
with style():
    fig = scaling_figure(measured[specs[0]["title"]], specs[0]["title"]) if len(specs) == 1 else overview_figure(measured)
    save_figure(fig, output.svg, output.png)
sheet = (
    speed_sheet(*measured.values(), title=specs[0]["title"], caption=specs[0]["caption"], others=others[specs[0]["title"]])
    if len(specs) == 1
    else overview_sheet(measured, others)
)
sheet.write({"md": output.md, "tex": output.tex, "html": output.html})
