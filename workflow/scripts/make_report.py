"""One HTML file with the scoreboard, the findings, every table and every figure, nothing fetched from elsewhere."""

from pathlib import Path

from pulab.reports.html import published_against_ours, render_report
from pulab.trials.logs import start_log

start_log(snakemake.log[0])
scoreboard = Path(snakemake.input.scoreboard)
params = snakemake.params
html = render_report(
    studies=params.studies,
    folder=scoreboard.parent,
    scoreboard=scoreboard,
    claims=Path(snakemake.input.claims),
    timings={study: Path(file) for study, file in zip(params.studies, snakemake.input.timings, strict=True)},
    methods=params.methods,
    configuration=params.configuration,
    preset=params.preset,
    measured=Path(params.published),
)
Path(snakemake.output.html).write_text(html, encoding="utf-8")
Path(snakemake.output.picture).write_text(published_against_ours(scoreboard, params.studies), encoding="utf-8")
