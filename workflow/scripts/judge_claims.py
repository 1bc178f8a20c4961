"""Judge every claim of every paper: its verdict, and the cases behind it."""

from pathlib import Path

import pandas as pd

from pulab.claims import CLAIM_COLUMNS, Evidence, claims_of, judge_claims, labels_of
from pulab.plan.plan import make_plan
from pulab.reports.claims import claims_latex, claims_sheet, read_claims
from pulab.tables import Results
from pulab.trials.logs import start_log

start_log(snakemake.log[0])
tables, cases = [pd.DataFrame(columns=CLAIM_COLUMNS)], []
plan = make_plan(snakemake.config)
for (name, study), *files in zip(plan.studies.items(), snakemake.input.results, snakemake.input.timings, strict=True):
    claims = claims_of(study)
    if claims:
        evidence = Evidence.of(Results.of(plan, name, *files), labels_of(study))
        table, own = judge_claims(name, claims, evidence)
        tables.append(table)
        cases.append(own)
pd.concat([t for t in tables if len(t)] or tables).to_csv(snakemake.output.csv, index=False)
pd.concat([c for c in cases if len(c)] or [judge_claims("", [], None)[1]]).to_csv(
    snakemake.output.cases, index=False, float_format="%.6g"
)
claims = read_claims(snakemake.output.csv)
claims_sheet(claims).write({"md": snakemake.output.md, "html": snakemake.output.html})
Path(snakemake.output.tex).write_text(claims_latex(claims), encoding="utf-8")
