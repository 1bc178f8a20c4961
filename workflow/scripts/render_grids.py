"""Make the table of grids settled by a rule."""

import pandas as pd

from pulab.trials.logs import start_log
from pulab.trials.results import read_csv
from studies.resvm.grids import grid_sheet

start_log(snakemake.log[0])
rounds = pd.concat([read_csv(file) for file in snakemake.input])
rounds.to_csv(snakemake.output.csv, index=False)
grid_sheet(rounds).write({"md": snakemake.output.md, "html": snakemake.output.html})
