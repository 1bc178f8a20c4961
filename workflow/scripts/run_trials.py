"""Run the trials of one job: tune, fit, evaluate, for each of its groups and their repeats."""

from pathlib import Path

from pulab.trials import kept, results
from pulab.trials.fingerprint import made_by
from pulab.trials.logs import start_log
from pulab.trials.runner import JobRunner, data_identity
from pulib.datasets import load_prepared

start_log(snakemake.log[0])
params = snakemake.params
data = load_prepared(Path(snakemake.input.meta).parent, snakemake.wildcards.dataset, params.positive)
runner = JobRunner(data, Path(params.finished), snakemake.threads)
rows, timings, made = [], [], []
for group in params.groups:
    outcome = runner.run(tuple(group["key"]), group["spec"], group["repeats"])
    rows.append(outcome.rows)
    timings.append(outcome.timings)
    made.append(kept.made_rows(outcome.rows, made_by(group["spec"], data_identity(data.meta))))
results.write(results.concat(rows, results.COLUMNS), snakemake.output.results)
results.write(results.concat(timings, results.TIMING_COLUMNS), snakemake.output.timings)
results.write(results.concat(made, results.MADE_COLUMNS), snakemake.output.made)
