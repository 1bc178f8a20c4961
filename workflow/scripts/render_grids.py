"""The table of grids that a rule settled."""

import pandas as pd

from pulab.reports.measured import grid_sheet
from pulab.trials.logs import start_log

start_log(snakemake.log[0])
rounds = pd.concat([pd.read_csv(file) for file in snakemake.input])
rounds.to_csv(snakemake.output.csv, index=False)
grid_sheet(rounds, snakemake.params.labels).write({"md": snakemake.output.md, "html": snakemake.output.html})
