"""Fail with an error that names every data set that is not available, and why."""

import json
from pathlib import Path

from pulab.trials.logs import start_log
from pulib.datasets import reading

start_log(snakemake.log[0])
found = {}
for file in map(Path, snakemake.input.meta):
    with reading(file):
        found[file.parent.name] = json.loads(file.read_text(encoding="utf-8"))
missing = [
    f"{name}: {' '.join(record.get('reason', '').split())}"
    for name, record in found.items()
    if not record.get("available", True)
]
if missing:
    raise SystemExit(f"{len(missing)} of {len(found)} data sets are not available.\n" + "\n".join(missing))
print(f"all {len(found)} data sets are available")
