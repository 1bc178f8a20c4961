"""Make the report: a landing page with separate pages for studies and questions, or all of them in one file."""

from importlib import import_module
from pathlib import Path

from benchmarks.history import read_history
from benchmarks.tables import speed_sheet
from pulab.figures.published import cited, published_against_ours
from pulab.plan.plan import make_plan
from pulab.reports.html import write_report
from pulab.tables import Results, read_cells
from pulab.tables.priors import prior_sheet
from pulab.trials.logs import start_log
from pulab.trials.results import read_csv
from pulib.plots import save_figure, style
from studies.resvm.study import find_grids

start_log(snakemake.log[0])
params, output, plan = snakemake.params, snakemake.output, make_plan(snakemake.config)
folder = Path(snakemake.input.scoreboard).parent
places, measurements = [folder, Path(params.archived)], params.measured


def found(name):
    """Return this run's file, or else the archived one; None if neither exists."""
    return next((file for place in places if (file := place / name).is_file()), None)


measured = {}
if tables := {name: read_csv(file) for name in measurements["speed"] if (file := found(f"speed/{name}.csv"))}:
    measured["Speed"] = speed_sheet(tables, measurements["speed"], read_history(found("speed/history.csv")))
if priors := found("priors.csv"):
    measured["Class priors"] = prior_sheet(read_csv(priors), measurements["priors"])
if (settled := found("grids.csv")) and find_grids(plan.preset, plan.studies):
    # its module imports the learners
    from studies.resvm.grids import grid_sheet

    measured["Grids chosen by a rule"] = grid_sheet(read_csv(settled))
given = zip(plan.studies.items(), snakemake.input.tidy, snakemake.input.timings, strict=True)
boards = {
    name: import_module(f"{study.module}.board").board(Results.of(plan, name, tidy, timings))
    for (name, study), tidy, timings in given
    if study.board
}
write_report(
    Path(output.html),
    studies=plan.studies,
    folder=folder,
    methods={group.method: plan.methods[group.study][group.method] for group in plan.groups.values()},
    # the locations of files on this machine are private
    configuration=plan.config.model_dump(exclude={"mirror", "resources_dir"}),
    preset=params.preset,
    boards=boards,
    measured=measured,
    costs=next((place for place in places if (place / "costs.csv").is_file() and (place / "spread.csv").is_file()), None),
    single=params.single,
    changed=params.changed,
)
with style():
    titles = {name: cited(study.citation) for name, study in plan.studies.items()}
    picture = published_against_ours(read_cells(snakemake.input.scoreboard), titles)
    save_figure(picture, output.picture, Path(output.picture).with_suffix(".png"))
