"""The table of all data sets, with what could be had in this run."""

import json
from pathlib import Path

from pulib.datasets._overview import dataset_overview, reasons, write_overview
from pulib.datasets.registry import load_registry
from pulib.experiments.logs import start_log

start_log(snakemake.log[0])
registry = load_registry(extra=snakemake.config["datasets"])
metas = [json.loads(Path(file).read_text(encoding="utf-8")) for file in snakemake.input.records]
records = {meta["name"]: meta for meta in metas}
write_overview(dataset_overview(registry, records), reasons(registry, records), dict(snakemake.output.items()))
