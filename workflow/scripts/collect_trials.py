"""One tidy table per paper, with a row for every trial that has no numbers."""

from pulib.experiments import results
from pulib.experiments.logs import start_log

start_log(snakemake.log[0])
parts = [results.read(path) for path in snakemake.input.results]
for *group, repeats, reason in snakemake.params.unbuilt:
    parts += [results.status_rows((*group, repeat), "pending", reason) for repeat in range(repeats)]
rows = results.concat(parts, results.COLUMNS)
results.write(rows, snakemake.output.results)
timings = results.concat([results.read(path) for path in snakemake.input.timings], results.TIMING_COLUMNS)
results.write(timings, snakemake.output.timings)
print(rows.drop_duplicates(results.KEY)["status"].value_counts())
