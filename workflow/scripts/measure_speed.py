"""Measure one kernel and its reference, and its growth with the size of the data."""

from importlib import import_module
from pathlib import Path

from pulab.benchmarks import Record
from pulab.trials.logs import start_log
from pulab.trials.runner import missing_library
from pulib.datasets import load_prepared

start_log(snakemake.log[0])
params = snakemake.params


def load(name):
    return load_prepared(Path(params.sets[name]["folder"]), name, params.sets[name]["positive"])


record = Record(snakemake.threads, load)
missing = missing_library([params.needs] if params.needs else [])
if missing:
    record.unavailable(params.module, f"the Python package {missing!r} is not installed")
elif (sizes := record.available(params.module, params.sizes)) is not None:
    import_module(f"pulab.benchmarks.{params.module}").measure(record, **sizes)
record.table().to_csv(snakemake.output.csv, index=False, float_format="%.5g")
