"""Compare rerun trials with archived ones: the published, archived and new value of each cell."""

from pathlib import Path

import pandas as pd

from pulab.plan.identity import Identity
from pulab.reports.rerun import agreement, nothing_compared, rerun_cells, rerun_text
from pulab.tables import read_cells
from pulab.trials import results
from pulab.trials.logs import start_log
from pulab.trials.store import Store

start_log(snakemake.log[0])
params = snakemake.params
store, fresh, names = Store(params.store), [], {}
for key, identity, repeats, own in params.groups:
    found = [store.find(tuple(key), repeat, Identity(*identity)) for repeat in repeats]
    fresh += [outcome.rows for outcome in found if outcome]
    names[tuple(key)] = own
studies = sorted({key[0] for key in names})
places = {study: [Path(folder) / f"{study}.parquet" for folder in params.archived] for study in studies}
archived = [next((results.read(file) for file in files if file.is_file()), None) for files in places.values()]
old = results.concat([rows for rows in archived if rows is not None], results.COLUMNS)
answer = agreement(old, results.concat(fresh, results.COLUMNS), names)
answer.to_csv(snakemake.output.csv, index=False)
scoreboard = next((file for file in params.scoreboards if Path(file).is_file()), None)
cells = rerun_cells(read_cells(scoreboard) if scoreboard else pd.DataFrame(), answer)
if nothing := nothing_compared(answer):
    raise SystemExit(nothing)
Path(snakemake.output.md).write_text(rerun_text(cells, answer), encoding="utf-8")
