"""Paired tests and ranks, as the paper's configuration names them."""

import pandas as pd

from pulib.experiments import comparisons, results
from pulib.experiments.logs import start_log

start_log(snakemake.log[0])
tidy = results.read(snakemake.input.results)
pairs = [pd.DataFrame(columns=comparisons.PAIR_COLUMNS)]
ranks = [pd.DataFrame(columns=comparisons.RANK_COLUMNS)]
for test in snakemake.params.tests:
    part = tidy[tidy["setting"].isin(test["settings"])] if test.get("settings") else tidy
    methods = test["methods"]
    pairs.append(comparisons.compare_pairs(part, test["reference"], methods, test["metric"]))
    ranks.append(comparisons.rank_methods(part, methods, test["metric"]))
pd.concat([p for p in pairs if len(p)] or pairs).to_csv(snakemake.output.pairs, index=False, float_format="%.6g")
pd.concat([r for r in ranks if len(r)] or ranks).to_csv(snakemake.output.ranks, index=False, float_format="%.6g")
