"""Every claim of every paper: its verdict, and the cases behind it."""

from pathlib import Path

import pandas as pd

from pulab.claims import CLAIM_COLUMNS, Evidence, judge_claims
from pulab.reports.claims import claims_latex, claims_markdown, read_claims
from pulab.trials import results
from pulab.trials.logs import start_log

start_log(snakemake.log[0])
tables, cases = [pd.DataFrame(columns=CLAIM_COLUMNS)], []
params = snakemake.params
for study, results_file, timings_file in zip(params.labels, snakemake.input.results, snakemake.input.timings, strict=True):
    tidy, first = (results.read(results_file), results.read(timings_file)), params.first_repeats[study]
    evidence = Evidence(*tidy, params.stand_ins[study], params.roles, first)
    table, own = judge_claims(study, params.claims.get(study, []), evidence, params.labels[study])
    tables.append(table)
    cases.append(own)
pd.concat([t for t in tables if len(t)] or tables).to_csv(snakemake.output.csv, index=False)
pd.concat([c for c in cases if len(c)] or cases).to_csv(snakemake.output.cases, index=False, float_format="%.6g")
claims = read_claims(snakemake.output.csv)
Path(snakemake.output.md).write_text(claims_markdown(claims), encoding="utf-8")
Path(snakemake.output.tex).write_text(claims_latex(claims), encoding="utf-8")
