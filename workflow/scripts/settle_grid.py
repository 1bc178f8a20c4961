"""Settle the grid of one method for data sets that share it, by cross-validation on the training rows of some draws."""

from pathlib import Path

import pandas as pd

from pulab.plan.plan import make_plan
from pulab.trials.logs import start_log
from pulab.trials.runner import JobRunner
from pulab.trials.trial import TrialContext
from pulib.datasets import load_prepared
from studies.resvm.grids import COLUMNS, Task, begin, grid_recipes, settle
from studies.resvm.study import GRIDS, STUDY

start_log(snakemake.log[0])
plan, wildcards = make_plan(snakemake.config, STUDY.name), snakemake.wildcards
family = GRIDS[plan.preset][wildcards.family]
folders = {Path(file).parent.name: Path(file).parent for file in snakemake.input}
tasks, grid = [], {}
for (dataset, setting), recipe in grid_recipes(plan, family, wildcards.method).items():
    data = load_prepared(folders[plan.base(dataset)], dataset, recipe.positive)
    if not data.meta.get("available", True):  # use the other sets of the family, if there are any
        print(f"{data.name} is not available: {data.meta['reason']}")
        continue
    key, grid = (STUDY.name, dataset, setting, wildcards.method), recipe.method.grid
    for repeat, split in JobRunner(data, Path()).draw_splits(key, recipe.split, range(family.repeats)).items():
        tasks.append(Task(TrialContext(*key, repeat, data, split, recipe.method, recipe.task, snakemake.threads)))
rounds = [pd.DataFrame(columns=COLUMNS)]
for found in settle(begin(grid, family.steps, family.ends), tasks) if tasks else ():
    rounds.append(found.assign(family=wildcards.family, method=wildcards.method, round=len(rounds)))
    print(rounds[-1].to_string(index=False), flush=True)
pd.concat(rounds[1:] or rounds)[COLUMNS].to_csv(snakemake.output.csv, index=False, float_format="%.6g")
