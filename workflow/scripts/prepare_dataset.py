"""Prepare a data set as arrays, or record why this is not possible."""

import json
from pathlib import Path

from pulab.trials.logs import start_log
from pulib.datasets import mirror_list, reading
from pulib.datasets.download import fetch, local_path
from pulib.datasets.prepare import prepare, write_unavailable
from pulib.datasets.registry import load_registry, sources

start_log(snakemake.log[0])
name = snakemake.wildcards.dataset
out_dir = Path(snakemake.output.meta).parents[1]
records = []
for record in (Path(file) for file in snakemake.input if file.endswith(".json")):
    with reading(record):
        records.append(json.loads(record.read_text(encoding="utf-8")))
missing = [record["reason"] for record in records if not record["available"]]
if missing:
    write_unavailable(name, out_dir, "\n".join(missing))
    print(f"{name} is not available:", *missing, sep="\n")
else:
    files = {file: entry for record in records for file, entry in record.get("files", {}).items()}
    registry, raw = load_registry(extra=snakemake.config["datasets"]), out_dir.with_name("raw")
    for needed in sources(registry, name):
        # files that were removed since, perhaps to free space
        if not all(local_path(file, raw / needed).is_file() for file in registry[needed].get("files", [])):
            files |= fetch(registry[needed], raw / needed, mirror_list(snakemake.config["mirror"]))
    meta = prepare(name, registry, raw, out_dir, files)
    print(json.dumps(meta, indent=1, sort_keys=True))
