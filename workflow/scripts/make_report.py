"""One HTML file with the scoreboard, the findings, every table and every figure, nothing fetched from elsewhere."""

from pathlib import Path

from pulib.experiments.logs import start_log
from pulib.reports import render_report

start_log(snakemake.log[0])
scoreboard = Path(snakemake.input.scoreboard)
params = snakemake.params
html = render_report(
    papers=params.papers,
    folder=scoreboard.parent,
    scoreboard=scoreboard,
    claims=Path(snakemake.input.claims),
    timings={paper: Path(file) for paper, file in zip(params.papers, snakemake.input.timings, strict=True)},
    methods=params.methods,
    configuration=params.configuration,
    preset=params.preset,
)
Path(snakemake.output.html).write_text(html, encoding="utf-8")
