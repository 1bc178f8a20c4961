"""How many kept trials are what the present code would make, and which are not."""

from pathlib import Path

import pandas as pd

from pulab.trials import results
from pulab.trials.fingerprint import Made
from pulab.trials.kept import judge, tell
from pulab.trials.logs import start_log

start_log(snakemake.log[0])
present = {key: Made(*parts) for key, parts in snakemake.params.present.items()}
pairs = zip(snakemake.input.results, snakemake.input.made, strict=True)
judged = pd.concat([judge(results.read(rows), results.read(made), present) for rows, made in pairs], ignore_index=True)
text = tell(judged)
Path(snakemake.output[0]).write_text(text, encoding="utf-8")
print(text)
