"""Estimate the class prior by every method, on samples of one data set."""

from pathlib import Path

import pandas as pd

from benchmarks.priors import METHODS, prior_errors
from pulab.trials.logs import start_log
from pulib.datasets import load_prepared

start_log(snakemake.log[0])
name = snakemake.wildcards.dataset
data = load_prepared(Path(snakemake.input.meta).parent, name, snakemake.params.positive)
if data.meta.get("available", True):
    errors = prior_errors(data.X, data.y, methods=METHODS, **snakemake.params.sizes).assign(dataset=name)
else:  # no rows; the table reports it
    print(f"{name} is not available: {data.meta['reason']}")
    errors = pd.DataFrame(columns=["method", "repeat", "prior", "estimate", "dataset"])
errors.to_csv(snakemake.output.csv, index=False, float_format="%.5f")
