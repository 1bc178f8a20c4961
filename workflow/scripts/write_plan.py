"""Write the plan as a table, with expected minutes from archived timings."""

from pathlib import Path

import pandas as pd

from pulab.trials import results, scale
from pulab.trials.logs import start_log

start_log(snakemake.log[0])
known = [results.read(path) for path in snakemake.input.timings]
timings = results.concat(known, results.TIMING_COLUMNS) if known else pd.DataFrame(columns=results.TIMING_COLUMNS)
plan = scale.plan_table(snakemake.params.groups, timings)
plan.to_csv(snakemake.output.csv, index=False, float_format="%.3f")
Path(snakemake.output.md).write_text(scale.plan_text(plan), encoding="utf-8")
print(f"{snakemake.output.md}: {plan['repeats'].sum()} trials of {len(plan)} combinations")
