"""Judge every claim, with the cases behind it; collect the cells of all tables, and count the verdicts of cells and claims."""

from pathlib import Path

import pandas as pd

from pulab.claims import CLAIM_COLUMNS, Evidence, claims_of, judge_claims, labels_of
from pulab.plan.plan import make_plan
from pulab.reports.claims import claims_latex, claims_sheet, read_claims
from pulab.reports.scoreboard import scoreboard_sheet
from pulab.tables import Results, read_cells
from pulab.tables.checksums import verify_checksums
from pulab.tables.record import RECORD_COLUMNS
from pulab.trials.logs import start_log
from pulab.trials.results import read_csv

start_log(snakemake.log[0])
given, output = snakemake.input, snakemake.output
for file in given.checksums:
    verify_checksums(Path(file))
tables, cases = [pd.DataFrame(columns=CLAIM_COLUMNS)], []
plan = make_plan(snakemake.config)
for (name, study), *files in zip(plan.studies.items(), given.results, given.timings, strict=True):
    claims = claims_of(study)
    if claims:
        evidence = Evidence.of(Results.of(plan, name, *files), labels_of(study))
        table, own = judge_claims(name, claims, evidence)
        tables.append(table)
        cases.append(own)
pd.concat([t for t in tables if len(t)] or tables).to_csv(output.claims, index=False)
cases = [c for c in cases if len(c)] or [judge_claims("", [], None)[1]]
pd.concat(cases).to_csv(output.cases, index=False, float_format="%.6g")
claims = read_claims(output.claims)
claims_sheet(claims).write({"md": output.claims_md, "html": output.claims_html})
Path(output.claims_tex).write_text(claims_latex(claims), encoding="utf-8")

frames = [read_csv(path, keep_default_na=False, dtype=str) for path in given.tables]
judged = [frame for frame in frames if "verdict" in frame.columns]
pd.concat([pd.DataFrame(columns=RECORD_COLUMNS), *judged]).to_csv(output.scoreboard, index=False)
scoreboard_sheet(read_cells(output.scoreboard), claims).write({"md": output.scoreboard_md, "html": output.scoreboard_html})
