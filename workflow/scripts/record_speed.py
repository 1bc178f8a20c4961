"""Add this run's measurements to the history of speed, and draw it."""

from datetime import date
from pathlib import Path

import pandas as pd

from pulab.benchmarks.history import COLUMNS, dated, extended
from pulab.figures.speed import history_figure
from pulab.trials.identity import present_commit
from pulab.trials.logs import start_log
from pulib.plots import save_figure, style

start_log(snakemake.log[0])
measured = {Path(file).stem: pd.read_csv(file) for file in snakemake.input.measured}
new = dated(measured, present_commit(), date.today().isoformat())
before = pd.read_csv(snakemake.input.before) if snakemake.input.before else pd.DataFrame(columns=COLUMNS)
history = extended(before, new)
history.to_csv(snakemake.output.csv, index=False, float_format="%.5g")
with style():
    save_figure(history_figure(history, snakemake.params.titles), snakemake.output.svg, snakemake.output.png)
