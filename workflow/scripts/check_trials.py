"""Fail if a trial has failed, after everything is rendered: the tables show which one."""

import sys

import pandas as pd

from pulab.plan.plan import make_plan
from pulab.trials import results
from pulab.trials.logs import start_log

start_log(snakemake.log[0])
columns = [*results.KEY, "status", "message"]
# tables may show the archived numbers of a trial that failed here
listed = {file: results.read_csv(file, keep_default_na=False)[columns] for file in snakemake.input.jobs}
rows = pd.concat([results.read(snakemake.input.results)[columns], *listed.values()]).drop_duplicates()
expected = make_plan(snakemake.config, snakemake.params.study).studies[snakemake.params.study].expected_failures


def declared(row):
    return any(
        failure.message in row.message
        and all(getattr(failure, name) in ("", getattr(row, name)) for name in ("dataset", "setting", "method"))
        for failure in expected
    )


failed = [row for row in rows[rows["status"] == "failed"].itertuples(index=False) if not declared(row)]
for row in failed:
    print(f"{row.study} {row.dataset} {row.setting} {row.method} repeat {row.repeat}: {row.message}")
if failed:
    places = [file for file, own in listed.items() if (own["status"] == "failed").any()]
    print("\nThe tables mark the cells of failed trials. To run them again, change their configuration or delete these files:")
    print(*(f"  {place}" for place in places), sep="\n")
    sys.exit(1)
