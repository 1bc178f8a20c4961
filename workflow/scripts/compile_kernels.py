"""Compile the kernels that the plan's trials use, into the cache that all of them find."""

from pathlib import Path

from pulab.trials.kernels import fill_cache
from pulab.trials.logs import start_log
from pulab.plan.plan import load_plan
from pulib.datasets.registry import load_registry

start_log(snakemake.log[0])
config = snakemake.config
plan = load_plan(config, load_registry(extra=config["datasets"]), Path(snakemake.scriptdir).resolve().parents[1])
fill_cache(plan.compiled_methods())
