"""Prepare a data set as arrays, or record why that cannot be done."""

import json
from pathlib import Path

from pulib.datasets.prepare import prepare, write_unavailable
from pulib.datasets.registry import load_registry
from pulib.experiments.logs import start_log

start_log(snakemake.log[0])
name = snakemake.wildcards.dataset
out_dir = Path(snakemake.output.meta).parents[1]
records = [json.loads(Path(file).read_text(encoding="utf-8")) for file in snakemake.input if file.endswith(".json")]
missing = [record["reason"] for record in records if not record["available"]]
if missing:
    write_unavailable(name, out_dir, "\n".join(missing))
    print(f"{name} is not available:", *missing, sep="\n")
else:
    files = {file: entry for record in records for file, entry in record.get("files", {}).items()}
    registry = load_registry(extra=snakemake.config["datasets"])
    meta = prepare(name, registry, out_dir.with_name("raw"), out_dir, files)
    print(json.dumps(meta, indent=1, sort_keys=True))
