"""Write a study's tables and draw its figures."""

from importlib import import_module
from pathlib import Path

from pulab.plan.plan import make_plan
from pulab.tables import Paper, Results, write_study_table
from pulab.tables.checksums import write_checksums
from pulab.trials.logs import start_log

start_log(snakemake.log[0])
plan, name, given = make_plan(snakemake.config, snakemake.params.study), snakemake.params.study, snakemake.input
folder, study = Path(snakemake.output.checksums).parent, plan.studies[name]
results, paper = Results.of(plan, name, given.results, given.timings), Paper.read(given.published)
for table, shown in study.tables.items():
    make = getattr(import_module(f"{study.module}.tables"), table)
    paths = {suffix: str(folder / f"{table}.{suffix}") for suffix in ("csv", "md", "tex", "json", "html")}
    results = results.shows(table, shown)
    write_study_table(results, make(results, paper), paths)
    print(f"{table}: {shown.title}", flush=True)
write_checksums([folder / f"{table}.csv" for table in study.tables], Path(snakemake.output.checksums))
if study.figures:
    # Matplotlib takes a second to import
    from pulib.plots import save_figure, style
for figure, shown in study.figures.items():
    make = getattr(import_module(f"{study.module}.figures"), figure)
    results = results.shows(figure, shown)
    with style():
        save_figure(make(results, paper), folder / f"{figure}.svg", folder / f"{figure}.png")
    print(f"{figure}: {shown.title}", flush=True)
