"""The report: a page that says what came out, pages of studies and questions beside it, or all of them in one file."""

from importlib import import_module
from pathlib import Path

import pandas as pd

from benchmarks.tables import prior_sheet, speed_sheets
from pulab.figures.published import cited, published_against_ours
from pulab.plan.plan import make_plan
from pulab.reports.html import write_report
from pulab.tables import Results, read_cells
from pulab.trials import results
from pulab.trials.archived import by_other_source, judge
from pulab.trials.logs import start_log
from pulab.trials.retrain import changed_words
from pulib.plots import save_figure, style
from studies.resvm.grids import grid_sheet
from studies.resvm.study import find_grids

start_log(snakemake.log[0])
params, output, plan = snakemake.params, snakemake.output, make_plan(snakemake.config)
folder = Path(snakemake.input.scoreboard).parent
places, apart = [folder, Path(params.archived)], params.measured
measured = speed_sheets(places, apart["speed"])
if priors := [place / "priors.csv" for place in places if (place / "priors.csv").is_file()]:
    measured["Class priors"] = prior_sheet(pd.read_csv(priors[0]), apart["priors"])
settled = [place / "grids.csv" for place in places if (place / "grids.csv").is_file()]
if settled and find_grids(plan.preset, plan.studies):
    measured["Grids by a rule"] = grid_sheet(pd.read_csv(settled[0]))
record = pd.concat(map(results.read, snakemake.input.record), ignore_index=True)
present = {key: identity for study in plan.studies for key, (identity, _) in plan.identities(study).items()}
changed = by_other_source(judge(record.assign(status="ok"), record, present), plan.sources())
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
    # where this machine looks for files is nobody's business
    configuration=plan.config.model_dump(exclude={"mirror", "resources_dir"}),
    preset=params.preset,
    boards=boards,
    measured=measured,
    costs=next((place for place in places if (place / "costs.csv").is_file() and (place / "spread.csv").is_file()), None),
    single=params.single,
    changed=changed_words(int(changed.sum())),
)
with style():
    titles = {name: cited(study.citation) for name, study in plan.studies.items()}
    picture = published_against_ours(read_cells(snakemake.input.scoreboard), titles)
    save_figure(picture, output.picture, Path(output.picture).with_suffix(".png"))
