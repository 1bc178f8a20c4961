"""Take this run's trials into the repository's copy and keep what is already there."""

from pathlib import Path

from pulib.experiments import results
from pulib.experiments.logs import start_log

start_log(snakemake.log[0])
for name in ("results", "timings"):
    target = Path(getattr(snakemake.output, name))
    new = results.read(getattr(snakemake.input, name))
    old = results.read(target) if target.is_file() else new.iloc[:0]
    merged = results.merge(old, new)
    print(f"{target}: {len(old)} rows, {len(new)} from this run, {len(merged)} now")
    partial = target.with_suffix(".part")
    results.write(merged, partial)
    partial.replace(target)
