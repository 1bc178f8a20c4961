"""Write the tables of a study."""

from importlib import import_module
from pathlib import Path

from pulab.plan.plan import make_plan
from pulab.tables import Paper, Results, write_study_table
from pulab.tables.checksums import write_checksums
from pulab.trials.logs import start_log

start_log(snakemake.log[0])
plan, name, given = make_plan(snakemake.config, snakemake.params.study), snakemake.params.study, snakemake.input
folder, study = Path(snakemake.output[0]).parent, plan.studies[name]
tables, paper = import_module(f"{study.module}.tables"), Paper.read(given.published)
results = Results.of(plan, name, given.results, given.timings)
for table, shown in study.tables.items():
    paths = {suffix: str(folder / f"{table}.{suffix}") for suffix in ("csv", "md", "tex", "json", "html")}
    results = results.shows(table, shown)
    write_study_table(results, getattr(tables, table)(results, paper), paths)
    print(f"{table}: {shown.title}", flush=True)
write_checksums([folder / f"{table}.csv" for table in study.tables], Path(snakemake.output.checksums))
