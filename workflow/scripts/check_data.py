"""Fail with an error that names every data set that is not available, and why."""

import json
from pathlib import Path

from pulab.trials.logs import start_log

start_log(snakemake.log[0])
found = {Path(file).parent.name: json.loads(Path(file).read_text(encoding="utf-8")) for file in snakemake.input.meta}
missing = [
    f"{name}: {' '.join(record.get('reason', '').split())}"
    for name, record in found.items()
    if not record.get("available", True)
]
if missing:
    raise SystemExit(f"{len(missing)} of {len(found)} data sets are not available.\n" + "\n".join(missing))
print(f"all {len(found)} data sets are available")
