"""Run one kept repeat of each group again and note whether its numbers come out the same, bit for bit."""

from pathlib import Path

import pandas as pd

from pulab.trials import confirm, results
from pulab.trials.fingerprint import made_by
from pulab.trials.logs import start_log
from pulab.trials.runner import data_identity
from pulib.datasets import load_prepared

start_log(snakemake.log[0])
kept = results.read(snakemake.input.results[0])
parts = [pd.DataFrame(columns=confirm.CONFIRMATION_COLUMNS)]
for row in snakemake.params.asked:
    key = tuple(row[name] for name in results.KEY)
    spec = snakemake.params.specs[key[:4]]
    data = load_prepared(Path(snakemake.input.meta).parent, row["dataset"], spec["split"]["positive"])
    if not data.meta.get("available", True):
        continue
    folder = Path(snakemake.output[0]).parents[1] / "finished"
    again = confirm.run_again(key, spec, data, folder, n_jobs=snakemake.threads)
    own = kept[(kept[results.KEY] == list(key)).all(axis=1)]
    parts.append(confirm.compare(key, row["was"], own, again, made_by(spec, data_identity(data.meta))))
    print(*key, parts[-1][["equal", "difference", "message"]].to_string(header=False, index=False), flush=True)
answers = pd.concat([part for part in parts if len(part)] or parts)
answers.to_parquet(snakemake.output[0], index=False)
print(f"{answers['equal'].sum()} of {len(answers)} repeats gave the same numbers")
