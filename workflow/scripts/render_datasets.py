"""The table of all data sets: those available in this run, and the others as on the published page."""

import json
from pathlib import Path

import pandas as pd

from pulab.tables.datasets import dataset_overview, keep_known, published_reasons, reasons, write_overview
from pulab.trials.logs import start_log
from pulib.datasets import reading
from pulib.datasets.registry import load_registry

start_log(snakemake.log[0])
registry = load_registry(extra=snakemake.config["datasets"])
records = {}
for file in map(Path, snakemake.input.records):
    with reading(file):
        meta = json.loads(file.read_text(encoding="utf-8"))
    records[meta["name"]] = meta
overview, missing = dataset_overview(registry, records), reasons(registry, records)
if snakemake.input.published:
    csv, md = snakemake.input.published
    overview = keep_known(overview, pd.read_csv(csv, dtype=str, keep_default_na=False))
    missing = published_reasons(Path(md).read_text(encoding="utf-8"), overview, missing)
write_overview(overview, missing, dict(snakemake.output.items()))
