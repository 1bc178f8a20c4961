"""Draw the figures of a study."""

from importlib import import_module
from pathlib import Path

from pulab.plan.plan import make_plan
from pulab.tables import Paper, Results
from pulab.trials.logs import start_log
from pulib.plots import save_figure, style

start_log(snakemake.log[0])
plan, name, given = make_plan(snakemake.config, snakemake.params.study), snakemake.params.study, snakemake.input
folder, study = Path(snakemake.output[0]).parent, plan.studies[name]
figures, paper = import_module(f"{study.module}.figures"), Paper.read(given.published)
results = Results.of(plan, name, given.results, given.timings)
for figure, shown in study.figures.items():
    results = results.shows(figure, shown)
    with style():
        save_figure(getattr(figures, figure)(results, paper), folder / f"{figure}.svg", folder / f"{figure}.png")
    print(f"{figure}: {shown.title}", flush=True)
