"""Fail where a trial has failed, once everything is rendered: the tables show where, the exit code that."""

import sys
from pathlib import Path

from pulib.experiments import results
from pulib.experiments.logs import start_log

start_log(snakemake.log[0])
rows = results.read(snakemake.input.results)
failed = rows[rows["status"] == "failed"]
for row in failed.itertuples(index=False):
    print(f"{row.paper} {row.dataset} {row.setting} {row.method} repeat {row.repeat}: {row.message}")
if len(failed):
    groups = failed[results.KEY[:4]].drop_duplicates()
    print(
        f"\n{len(failed)} trials failed, of {len(groups)} (paper, data set, setting, method). Their cells say so in the tables."
    )
    print("After mending the cause, a change in config or source reruns them; to rerun as they are, delete")
    tidy = snakemake.input.results
    for place in [tidy, *(f"{Path(tidy).parents[1]}/trials/{'/'.join(group)}" for group in groups.itertuples(index=False))]:
        print(f"  {place}")
    sys.exit(1)
