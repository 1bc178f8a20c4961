"""Count verdicts per paper and table over the cells of all tables."""

from pathlib import Path

import pandas as pd

from pulib.experiments.logs import start_log
from pulib.tables import VERDICTS

start_log(snakemake.log[0])
frames = [pd.read_csv(path, keep_default_na=False) for path in snakemake.input.tables]
cells = pd.concat([frame for frame in frames if "verdict" in frame.columns], ignore_index=True)
cells.to_csv(snakemake.output.csv, index=False)

counts = cells.groupby(["paper", "table"], sort=False)["verdict"].value_counts().unstack(fill_value=0)
counts = counts.reindex(columns=[v for v in VERDICTS if v in counts.columns])
lines = ["| paper | table | " + " | ".join(counts.columns) + " |", "|---" * (2 + counts.shape[1]) + "|"]
for (paper, table), row in [*counts.iterrows(), (("**all**", ""), counts.sum())]:
    lines.append(f"| {paper} | {table} | " + " | ".join(str(n) for n in row) + " |")
Path(snakemake.output.md).write_text("\n".join(lines) + "\n", encoding="utf-8")
