"""Compile the kernels of the plan's trials into the cache that all of them use."""

from pulab.plan.plan import make_plan
from pulab.trials.kernels import fill_cache
from pulab.trials.logs import start_log

start_log(snakemake.log[0])
fill_cache(make_plan(snakemake.config).compiled_methods())
