"""Make the table of all data sets: those of this run, and the others as on the archived page."""

import json
from pathlib import Path

from pulab.tables.datasets import dataset_overview, dataset_sheet, keep_known
from pulab.trials.logs import start_log
from pulab.trials.results import read_csv
from pulib.datasets import reading
from pulib.datasets.registry import load_registry

start_log(snakemake.log[0])
registry = load_registry(extra=snakemake.config["datasets"])
records = {}
for file in map(Path, snakemake.input.records):
    with reading(file):
        meta = json.loads(file.read_text(encoding="utf-8"))
    records[meta["name"]] = meta
overview = dataset_overview(registry, records)
for archived in snakemake.input.archived:
    overview = keep_known(overview, read_csv(archived, dtype=str, keep_default_na=False))
overview.to_csv(snakemake.output.csv, index=False)
dataset_sheet(overview).write(dict(snakemake.output.items()), label="datasets")
