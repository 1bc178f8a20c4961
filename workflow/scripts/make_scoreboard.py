"""Count verdicts per paper and table over the cells of all tables, and per paper over its claims."""

from pathlib import Path

import pandas as pd

from pulib.experiments.logs import start_log
from pulib.reports.claims import read_claims
from pulib.reports.scoreboard import scoreboard_markdown

start_log(snakemake.log[0])
frames = [pd.read_csv(path, keep_default_na=False) for path in snakemake.input.tables]
cells = pd.concat([frame for frame in frames if "verdict" in frame.columns], ignore_index=True)
cells.to_csv(snakemake.output.csv, index=False)
text = scoreboard_markdown(cells, read_claims(snakemake.input.claims))
Path(snakemake.output.md).write_text(text, encoding="utf-8")
