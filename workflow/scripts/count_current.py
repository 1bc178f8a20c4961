"""Count the trials in the tables that have the current identity, and list the others."""

import pandas as pd

from pulab.plan.plan import make_plan
from pulab.reports.overview import current_sheet
from pulab.trials import results
from pulab.trials.archived import by_other_source, judge
from pulab.trials.logs import start_log

start_log(snakemake.log[0])
plan = make_plan(snakemake.config)
present = {key: identity for study in plan.studies for key, (identity, _) in plan.identities(study).items()}
pairs = zip(snakemake.input.results, snakemake.input.record, strict=True)
judged = pd.concat([judge(results.read(rows), results.read(record), present) for rows, record in pairs], ignore_index=True)
sheet = current_sheet(judged, int(by_other_source(judged, plan.sources()).sum()))
sheet.write(dict(snakemake.output.items()))
print(sheet.markdown())
