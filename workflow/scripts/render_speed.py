"""Tables of what was measured of one kernel, or of all, with the history of versions and the figures."""

from pathlib import Path

import pandas as pd

from benchmarks.figures import growth_figure, overview_figure
from benchmarks.history import comparisons, extended
from benchmarks.tables import elsewhere, overview_sheet, read_history, speed_sheet
from pulab.plan.identity import present_commit
from pulab.trials.logs import start_log
from pulib.plots import save_figure, style

start_log(snakemake.log[0])
specs, output = snakemake.params.specs, snakemake.output
measured = {Path(file).stem: pd.read_csv(file) for file in snakemake.input.measured}
titles = {kernel: spec["title"] for kernel, spec in specs.items()}
history = read_history(Path(file).parents[1] for file in snakemake.input.history)
others = elsewhere(history, measured)
if hasattr(output, "history"):
    history = extended(history, comparisons(measured, present_commit()))
    history.to_csv(output.history, index=False, float_format="%.5g")
    sheet = overview_sheet(measured, titles, others, history)
    tables = {titles[kernel]: table for kernel, table in measured.items()}
    with style():
        save_figure(overview_figure(tables), output.svg, output.png)
        save_figure(growth_figure(tables), output.growth_svg, output.growth_png)
else:
    ((kernel, spec),) = specs.items()
    sheet = speed_sheet(measured[kernel], title=spec["title"], caption=spec["caption"], others=others[kernel])
sheet.write({"md": output.md, "tex": output.tex, "html": output.html})
