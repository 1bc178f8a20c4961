"""One HTML file with the scoreboard, every table and every figure, nothing fetched from elsewhere."""

from pathlib import Path

from pulib.experiments.logs import start_log
from pulib.reports import render_report

start_log(snakemake.log[0])
scoreboard = Path(snakemake.input.scoreboard)
html = render_report(
    papers=snakemake.params.papers,
    folder=scoreboard.parent,
    scoreboard=scoreboard,
    preset=snakemake.params.preset,
)
Path(snakemake.output.html).write_text(html, encoding="utf-8")
