"""Make the table of errors in estimated class priors."""

import pandas as pd

from pulab.tables.priors import prior_sheet
from pulab.trials.logs import start_log
from pulab.trials.results import read_csv

start_log(snakemake.log[0])
parts = [read_csv(file) for file in snakemake.input]
errors = pd.concat([part for part in parts if len(part)] or parts[:1])
errors.to_csv(snakemake.output.csv, index=False, float_format="%.5f")
prior_sheet(errors, snakemake.params.sizes).write({"md": snakemake.output.md, "html": snakemake.output.html})
