"""Run the trials of one job: tune, fit and evaluate, for each repeat of its groups."""

from pathlib import Path

import pandas as pd

from pulab.plan.plan import make_plan
from pulab.trials.logs import start_log
from pulab.trials.results import KEY
from pulab.trials.retrain import FORCED
from pulab.trials.runner import JobRunner
from pulib.datasets import load_prepared

start_log(snakemake.log[0])
params, wildcards = snakemake.params, snakemake.wildcards
plan = make_plan(snakemake.config, wildcards.study)
positive = plan.registry[wildcards.dataset]["positive"]
data = load_prepared(Path(snakemake.input.meta).parent, wildcards.dataset, positive)
again = {"changed": plan.config.retrain == "changed", "forced": params.asked if FORCED in params.asked else ""}
runner = JobRunner(data, Path(params.store), snakemake.threads, **again)
# the store has the trials; the output lists how they ended
rows, groups = [], plan.whole | plan.groups
for trial in params.trials:
    place, repeats, _ = trial.split()
    key = tuple(place.split("/"))
    outcomes = runner.run(key, plan.recipe(groups[key]), [int(repeat) for repeat in repeats.split(",")])
    for repeat, own in sorted(outcomes.items()):
        rows.append((*key, repeat, *own.rows[["status", "message"]].iloc[0], own.origin.source))
listed = pd.DataFrame(rows, columns=[*KEY, "status", "message", "source"]).assign(asked=params.asked)
listed.to_csv(snakemake.output[0], index=False)
