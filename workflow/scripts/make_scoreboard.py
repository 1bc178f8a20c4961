"""Collect the cells of all tables in one file, and count verdicts by study and table, and claims."""

from pathlib import Path

import pandas as pd

from pulab.reports.claims import read_claims
from pulab.reports.scoreboard import scoreboard_sheet
from pulab.tables import read_cells
from pulab.tables.checksums import verify_checksums
from pulab.tables.record import RECORD_COLUMNS
from pulab.trials.logs import start_log

start_log(snakemake.log[0])
for file in snakemake.input.checksums:
    verify_checksums(Path(file))
frames = [pd.read_csv(path, keep_default_na=False, dtype=str) for path in snakemake.input.tables]
judged = [frame for frame in frames if "verdict" in frame.columns]
pd.concat([pd.DataFrame(columns=RECORD_COLUMNS), *judged]).to_csv(snakemake.output.csv, index=False)
sheet = scoreboard_sheet(read_cells(snakemake.output.csv), read_claims(snakemake.input.claims))
sheet.write({"md": snakemake.output.md, "html": snakemake.output.html})
