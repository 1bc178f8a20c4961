"""Copy the preset's results into the source tree, and regenerate parts of the README and the documentation.

PNG pictures and LaTeX tables stay in the run's folder; they are attached to releases.
"""

import shutil
from pathlib import Path

from pulab.plan.plan import make_plan
from pulab.reports.pages import update_pages
from pulab.tables.sentences import text_of
from pulab.trials import results as tidy_results
from pulab.trials.logs import start_log

start_log(snakemake.log[0])
params, results = snakemake.params, Path(snakemake.input.report).parent
studies = make_plan(snakemake.config).studies
root = Path(params.root)
target = root / "figures" / params.preset
given = [Path(file) for file in snakemake.input if not file.endswith(".checked")]
other_files = ("speed/*.*", "priors.*", "grids.*", "datasets.*", "costs.csv", "spread.csv")
given += [file for pattern in other_files for file in results.glob(pattern)]
places = {target / file.relative_to(results): file for file in given if file.suffix in (".csv", ".md", ".svg", ".parquet")}
for study in studies:  # remove archived files that a study no longer makes
    for old in set((target / study).glob("*")) - set(places):
        old.unlink()
report = Path(snakemake.input.report)
shutil.rmtree(target / "report", ignore_errors=True)
places |= {target / file.relative_to(results): file for file in [report, *report.with_suffix("").glob("*.*")]}
for place, file in places.items():
    place.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".parquet":
        rows = tidy_results.read(file)
        if "message" in rows:  # the archive does not record which trials were archived before
            rows["message"] = rows["message"].where(rows["status"] != "ok", "")
        tidy_results.keep(rows, place)
    else:
        shutil.copy2(file, place)
    shutil.copystat(file, place)  # an archived file must not be newer than files made from it
    print(place)

(target / "README.md").write_text(text_of("index.md", studies=studies, preset=params.preset), encoding="utf-8")
update_pages(root, results, studies)
