"""Compute the plan's cost by paper, and its schedule on many cores, from the times of trials that were run."""

import pandas as pd

from pulab.reports.overview import cost_grid, spread_grid
from pulab.tables.sheet import Sheet
from pulab.trials import results, scale
from pulab.trials.logs import start_log

start_log(snakemake.log[0])
jobs = pd.DataFrame(snakemake.params.jobs, columns=scale.JOB_COLUMNS)
timings = pd.concat([results.read(path) for path in snakemake.input.timings], ignore_index=True)
timed = scale.job_seconds(jobs, timings)
costs = scale.costs(timed)
spread = scale.spread(timed, overhead=snakemake.params.overhead)
costs.to_csv(snakemake.output.costs, index=False, float_format="%.3f")
spread.to_csv(snakemake.output.spread, index=False, float_format="%.3f")

known = timed[~timed["guessed"]]
share = snakemake.params.overhead * len(known) / (known["seconds"] * known["threads"]).sum()
legend = (
    f"All {len(timed)} jobs, the longest first, including those whose time is estimated. Each takes "
    f"{snakemake.params.overhead:g} s in addition to its trials,\n"
    f"which is {share:.1%} of the processor time of the {len(known)} jobs with measured times."
)
Sheet(grids=[cost_grid(costs), spread_grid(spread)], legend=legend).write({"md": snakemake.output.md})
