"""Every claim of every paper: its verdict, and the cases behind it."""

from pathlib import Path

import pandas as pd

from pulab.claims import CLAIM_COLUMNS, Evidence, claims_of, judge_claims, labels_of
from pulab.reports.claims import claims_latex, claims_sheet, read_claims
from pulab.trials import results
from pulab.trials.logs import start_log

start_log(snakemake.log[0])
tables, cases = [pd.DataFrame(columns=CLAIM_COLUMNS)], []
params = snakemake.params
for (study, module), *files in zip(params.claims.items(), snakemake.input.results, snakemake.input.timings, strict=True):
    if not module:
        continue
    labels = params.labels[study] | labels_of(module)
    tidy = map(results.read, files)
    evidence = Evidence(*tidy, params.stand_ins[study], params.roles, params.first_repeats[study], labels)
    table, own = judge_claims(study, claims_of(module), evidence)
    tables.append(table)
    cases.append(own)
pd.concat([t for t in tables if len(t)] or tables).to_csv(snakemake.output.csv, index=False)
pd.concat([c for c in cases if len(c)] or [judge_claims("", [], None)[1]]).to_csv(
    snakemake.output.cases, index=False, float_format="%.6g"
)
claims = read_claims(snakemake.output.csv)
claims_sheet(claims).write({"md": snakemake.output.md, "html": snakemake.output.html})
Path(snakemake.output.tex).write_text(claims_latex(claims), encoding="utf-8")
