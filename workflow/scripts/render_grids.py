"""The table of grids that a rule settled."""

from pathlib import Path

import pandas as pd

from pulab.protocols.resvm_grids import SHARE, settled_table
from pulab.trials.logs import start_log

start_log(snakemake.log[0])
rounds = pd.concat([pd.read_csv(file) for file in snakemake.input])
rounds.to_csv(snakemake.output.csv, index=False)
caption = (
    "Grids by a rule that looks at no test row. A parameter begins with three powers about the middle of the main grid. "
    f"Where more than {SHARE:.0%} of the cross-validated optima lie on its edges, a side with more than {SHARE / 2:.0%} gets "
    "one more power, round by round. The sizes of resamples end at those of their sets, and penalties at their limit. The "
    "file beside this one has all rounds."
)
Path(snakemake.output.md).write_text(f"{caption}\n\n{settled_table(rounds, snakemake.params.labels)}\n", encoding="utf-8")
