"""Make the table of all kernels' measurements, and add those of this run to the history of versions."""

from pathlib import Path

from benchmarks.history import comparisons, extended, read_history
from benchmarks.tables import speed_sheet
from pulab.plan.identity import present_commit
from pulab.trials.logs import start_log
from pulab.trials.results import read_csv

start_log(snakemake.log[0])
output = snakemake.output
measured = {Path(file).stem: read_csv(file) for file in snakemake.input.measured}
history = extended(read_history(next(iter(snakemake.input.history), None)), comparisons(measured, present_commit()))
history.to_csv(output.history, index=False, float_format="%.5g")
sheet = speed_sheet(measured, snakemake.params.specs, history)
sheet.write({"md": output.md, "tex": output.tex, "html": output.html})
