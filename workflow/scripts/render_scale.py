"""What the plan costs by paper, and how it spreads over many cores, from the times of the trials that were run."""

from pathlib import Path

import pandas as pd

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

heads = ["study", "jobs", "trials", "measured", "core-hours, measured", "core-hours, guessed", "longest job", "memory of a job"]
lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
for row in costs.itertuples(index=False):
    hours = f"{row.core_hours:.2f} | {row.core_hours_guessed:.2f} | {row.longest_minutes:.0f} min | {row.mem_gb:.0f} GB"
    lines.append(f"| {row.study} | {row.jobs} | {row.trials} | {row.measured} | {hours} |")
lines += [
    "",
    "| cores | hours | cores busy | memory asked for at once | no schedule is shorter than |",
    "|---|---|---|---|---|",
]
for row in spread.itertuples(index=False):
    lines.append(f"| {row.cores} | {row.hours:.2f} | {row.busy:.0%} | {row.peak_mem_gb:.0f} GB | {row.bound_hours:.2f} h |")
known = timed[~timed["guessed"]]
share = snakemake.params.overhead * len(known) / (known["seconds"] * known["threads"]).sum()
lines += [
    "",
    f"All {len(timed)} jobs, guessed ones too, the longest first, each with {snakemake.params.overhead:g} s beside its trials.",
    f"Those seconds are {share:.1%} of the work of the {len(known)} jobs that are not guessed.",
]
Path(snakemake.output.md).write_text("\n".join(lines) + "\n", encoding="utf-8")
