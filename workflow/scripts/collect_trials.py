"""One tidy table per study, over what was published of it, with a row for every trial without numbers; and what made them."""

import pandas as pd

from pulab.trials import confirm, kept, results
from pulab.trials.logs import start_log

start_log(snakemake.log[0])
rows = results.concat([results.read(path) for path in snakemake.input.results], results.COLUMNS)
made = results.concat([results.read(path) for path in snakemake.input.made], results.MADE_COLUMNS)
timings = results.concat([results.read(path) for path in snakemake.input.timings], results.TIMING_COLUMNS)
print("of this run:", rows.drop_duplicates(results.KEY)["status"].value_counts(), sep="\n")
if snakemake.input.published:
    old_rows, old_timings = map(results.read, snakemake.input.published)
    made = kept.merge_made(kept.read_made(snakemake.input.published[0]), rows, made)
    rows, timings = results.merge(old_rows, rows), results.merge(old_timings, timings)
    print("with what was published:", rows.drop_duplicates(results.KEY)["status"].value_counts(), sep="\n")
if snakemake.params.confirmed:
    answers = pd.concat(map(pd.read_parquet, snakemake.params.confirmed), ignore_index=True)
    made = confirm.apply(made, kept.with_numbers(rows), answers)
results.write(rows, snakemake.output.results)
results.write(timings, snakemake.output.timings)
results.write(made, snakemake.output.made)
