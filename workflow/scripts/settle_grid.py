"""Settle the grid of one method on sets that share it, by cross-validation on the training rows of some draws."""

from pathlib import Path

import pandas as pd

from studies.resvm.grids import COLUMNS, Task, begin, settle
from pulab.trials.logs import start_log
from pulab.trials.runner import JobRunner
from pulab.trials.trial import TrialContext
from pulib.datasets import load_prepared

start_log(snakemake.log[0])
asked, wildcards = snakemake.params.tasks, snakemake.wildcards
folders = {Path(file).parent for file in snakemake.input}
tasks = []
for group in asked["groups"]:
    folder = next(folder for folder in folders if folder.name == group["base"])
    data = load_prepared(folder, group["key"][1], group["positive"])
    if not data.meta.get("available", True):  # the rule goes by the other sets of the family, if there are any
        print(f"{data.name} is not available: {data.meta['reason']}")
        continue
    splits = JobRunner(data, Path()).draw_splits(group["key"], group["split"], asked["repeats"])
    for repeat, split in splits.items():
        given = (repeat, data, split, group["method"], group["setting"], snakemake.threads)
        tasks.append(Task(TrialContext(*group["key"], *given)))
rounds = [pd.DataFrame(columns=COLUMNS)]
for found in settle(begin(asked["grid"], asked["steps"], asked["ends"]), tasks) if tasks else ():
    rounds.append(found.assign(family=wildcards.family, method=wildcards.method, round=len(rounds)))
    print(rounds[-1].to_string(index=False), flush=True)
pd.concat(rounds[1:] or rounds)[COLUMNS].to_csv(snakemake.output.csv, index=False, float_format="%.6g")
