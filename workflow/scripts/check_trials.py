"""Fail where a trial has failed, once everything is rendered: the tables show where, the exit code that."""

import sys
from pathlib import Path

import pandas as pd

from pulab.trials import results
from pulab.trials.logs import start_log

start_log(snakemake.log[0])
places = []
for tidy in map(Path, snakemake.input.results):
    rows = results.read(tidy)
    failed = rows[rows["status"] == "failed"]
    for row in failed.itertuples(index=False):
        print(f"{row.study} {row.dataset} {row.setting} {row.method} repeat {row.repeat}: {row.message}")
    jobs = tidy.parents[1].joinpath("trials", tidy.stem).rglob("*.results.parquet") if len(failed) else ()
    places += [tidy] * bool(len(failed)) + [job for job in jobs if (pd.read_parquet(job)["status"] == "failed").any()]
if places:
    print("\nThe cells of what failed say so in the tables. A change in config or source runs it again; as it is, it is run")
    print("again once these files are deleted:")
    print(*(f"  {place}" for place in places), sep="\n")
    sys.exit(1)
