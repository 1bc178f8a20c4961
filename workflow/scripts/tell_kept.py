"""How many trials of the tables have the present identity, and which have not."""

from pathlib import Path

import pandas as pd

from pulab.trials import results
from pulab.trials.identity import Identity
from pulab.trials.kept import judge, tell
from pulab.trials.logs import start_log

start_log(snakemake.log[0])
present = {tuple(key): Identity(*identity) for key, identity in snakemake.params.present}
pairs = zip(snakemake.input.results, snakemake.input.record, strict=True)
judged = pd.concat([judge(results.read(rows), results.read(record), present) for rows, record in pairs], ignore_index=True)
text = tell(judged)
Path(snakemake.output[0]).write_text(text, encoding="utf-8")
print(text)
