"""The table of errors of the class prior's estimates."""

from pathlib import Path

import pandas as pd

from pulab.protocols.priors import error_table
from pulab.trials.logs import start_log

start_log(snakemake.log[0])
parts = [pd.read_csv(file) for file in snakemake.input]
errors = pd.concat([part for part in parts if len(part)] or parts[:1])
errors.to_csv(snakemake.output.csv, index=False, float_format="%.5f")
sizes = snakemake.params.sizes
caption = (
    f"Mean error of the estimated class prior over {sizes['repeats']} random samples of at most {sizes['n_labeled']} labeled "
    f"and {sizes['n_unlabeled']} unlabeled rows, and the greatest absolute one in parentheses. π is the share of positives "
    "among the unlabeled rows."
)
missing = [name for name in sizes["datasets"] if name not in set(errors["dataset"])]
note = f"\n\nNot available here: {', '.join(missing)}." if missing else ""
Path(snakemake.output.md).write_text(f"{caption}\n\n{error_table(errors)}{note}\n", encoding="utf-8")
