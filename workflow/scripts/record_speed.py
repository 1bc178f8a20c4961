"""Add this run's measurements to the history of speed, and draw it."""

from pathlib import Path

import pandas as pd

from pulab.benchmarks.history import comparisons, extended, read_history
from pulab.figures.speed import history_figure
from pulab.plan.identity import present_commit
from pulab.trials.logs import start_log
from pulib.plots import save_figure, style

start_log(snakemake.log[0])
measured = {Path(file).stem: pd.read_csv(file) for file in snakemake.input.measured}
new = comparisons(measured, present_commit())
history = extended(read_history(Path(file).parents[1] for file in snakemake.input.before), new)
history.to_csv(snakemake.output.csv, index=False, float_format="%.5g")
with style():
    save_figure(history_figure(history, snakemake.params.titles), snakemake.output.svg, snakemake.output.png)
