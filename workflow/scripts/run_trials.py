"""Run the trials of one job: tune, fit, evaluate, for each of its groups and their repeats."""

from pathlib import Path

import pandas as pd

from pulab.trials.logs import start_log
from pulab.trials.results import KEY
from pulab.trials.runner import JobRunner
from pulib.datasets import load_prepared

start_log(snakemake.log[0])
params = snakemake.params
data = load_prepared(Path(snakemake.input.meta).parent, snakemake.wildcards.dataset, params.positive)
runner = JobRunner(data, Path(params.store), snakemake.threads)
# the trials themselves are in the store; this says what came of them
rows = []
for group in params.groups:
    outcomes = runner.run(tuple(group["key"]), group["spec"], group["repeats"])
    rows += [(*group["key"], repeat, outcome.rows["status"].iloc[0]) for repeat, outcome in sorted(outcomes.items())]
pd.DataFrame(rows, columns=[*KEY, "status"]).to_csv(snakemake.output[0], index=False)
