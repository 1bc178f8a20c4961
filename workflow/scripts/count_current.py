"""How many trials of the tables have the present identity, and which have not."""

import pandas as pd

from pulab.reports.overview import current_sheet
from pulab.trials import results
from pulab.plan.identity import Identity
from pulab.trials.logs import start_log
from pulab.trials.published import judge

start_log(snakemake.log[0])
present = {tuple(key): Identity(*identity) for key, identity in snakemake.params.present}
pairs = zip(snakemake.input.results, snakemake.input.record, strict=True)
judged = pd.concat([judge(results.read(rows), results.read(record), present) for rows, record in pairs], ignore_index=True)
sheet = current_sheet(judged)
sheet.write(dict(snakemake.output.items()))
print(sheet.markdown())
