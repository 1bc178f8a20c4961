"""Write the README's made parts, block by block, the page of findings, and the tables of the page on scale."""

from pathlib import Path

import pandas as pd

from pulib.experiments.logs import start_log
from pulib.reports.claims import findings_markdown, findings_summary, read_claims
from pulib.reports.readme import deviations_table, figure_gallery, replace_block
from pulib.reports.scoreboard import cell_counts, count_table

start_log(snakemake.log[0])
params = snakemake.params
claims = read_claims(snakemake.input.claims)
blocks = {
    "scoreboard": count_table(cell_counts(pd.read_csv(snakemake.input.scoreboard))),
    "findings": findings_summary(claims),
    "figures": figure_gallery(snakemake.input.figures, params.shown),
    "datasets": Path(snakemake.input.datasets).read_text(encoding="utf-8"),
    "deviations": deviations_table(params.papers),
}
readme = Path(params.readme)
text = readme.read_text(encoding="utf-8")
for name, body in blocks.items():
    text = replace_block(text, name, body)
readme.write_text(text, encoding="utf-8")
titles = {name: paper["title"] for name, paper in params.papers.items()}
Path(params.findings).write_text(findings_markdown(claims, titles, params.preset), encoding="utf-8")

page = Path(params.scale_page)
tables = Path(snakemake.input.scale).read_text(encoding="utf-8")
page.write_text(replace_block(page.read_text(encoding="utf-8"), "scale", tables), encoding="utf-8")
