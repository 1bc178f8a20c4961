"""The table of all data sets, with what could be had in this run, and, where runs add up, in those before it."""

import json
from pathlib import Path

import pandas as pd

from pulib._faults import reading
from pulib.datasets._overview import dataset_overview, keep_known, kept_reasons, reasons, write_overview
from pulib.datasets.registry import load_registry
from pulib.experiments.logs import start_log

start_log(snakemake.log[0])
registry = load_registry(extra=snakemake.config["datasets"])
records = {}
for file in map(Path, [*snakemake.input.records, *snakemake.params.others]):
    with reading(file):
        meta = json.loads(file.read_text(encoding="utf-8"))
    records[meta["name"]] = meta
overview, missing = dataset_overview(registry, records), reasons(registry, records)
csv, md = Path(snakemake.output.csv), Path(snakemake.output.md)
if snakemake.params.add and csv.is_file() and md.is_file():
    overview = keep_known(overview, pd.read_csv(csv, dtype=str, keep_default_na=False))
    missing = kept_reasons(md.read_text(encoding="utf-8"), overview, missing)
write_overview(overview, missing, dict(snakemake.output.items()))
