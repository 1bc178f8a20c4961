"""Collect one tidy table per study, with a row per trial without numbers, and each trial's identity and origin."""

import json
from pathlib import Path

from pulab.plan.plan import make_plan
from pulab.trials import results
from pulab.trials.logs import start_log
from pulab.trials.store import Store, collect
from pulib.datasets import UnreadableFileError

start_log(snakemake.log[0])
params, output = snakemake.params, snakemake.output
study = snakemake.wildcards.study
archived = Path(snakemake.input.archived[0]) if snakemake.input.archived else None
found = collect(make_plan(snakemake.config, study).identities(study), Store(params.store), archived)
known = set(found.rows[results.KEY].drop_duplicates().itertuples(index=False, name=None))
for job in snakemake.input.jobs:
    lost = set(results.read_csv(job)[results.KEY].itertuples(index=False, name=None)) - known
    if lost:
        raise UnreadableFileError(
            f"{job} lists {len(lost)} trials that are missing from {params.store}: run the same command again to train them"
        )
print(found.rows.drop_duplicates(results.KEY)["status"].value_counts(), found.sources, sep="\n")
results.write(found.rows, output.results)
results.write(found.timings, output.timings)
results.write(found.record, output.record)
Path(output.sources).write_text(json.dumps(found.sources) + "\n", encoding="utf-8")
