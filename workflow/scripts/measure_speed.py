"""Measure one kernel and its reference, and how it scales with the size of the data."""

import inspect
from importlib import import_module
from pathlib import Path

from benchmarks.record import Record
from pulab.plan.configuration import check_name
from pulab.plan.own import missing_library
from pulab.trials.logs import start_log
from pulib.datasets import load_prepared

start_log(snakemake.log[0])
params, kernel = snakemake.params, snakemake.wildcards.kernel


def load(name):
    return load_prepared(Path(params.sets[name]["folder"]), name, params.sets[name]["positive"])


record = Record(snakemake.threads, load)
missing = missing_library([params.needs] if params.needs else [])
if missing:
    record.unavailable(kernel, f"the Python package {missing!r} is not installed")
elif (sizes := record.available(kernel, params.sizes)) is not None:
    measure = import_module(f"benchmarks.{kernel}").measure
    accepted = inspect.signature(measure).parameters.keys() - {"record"}
    for key in sizes:
        check_name(key, accepted, "key", f"config/speed.yaml: {kernel}")
    measure(record, **sizes)
record.table().to_csv(snakemake.output.csv, index=False, float_format="%.5g")
