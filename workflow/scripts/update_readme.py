"""Write the README's made parts (scoreboard, deviations, data sets), and those of the page on scale."""

from pathlib import Path

from pulib.experiments.logs import start_log
from pulib.reports.readme import deviations_table, replace_block

start_log(snakemake.log[0])
readme = Path(snakemake.params.readme)
text = readme.read_text(encoding="utf-8")
text = replace_block(text, "scoreboard", Path(snakemake.input.scoreboard).read_text(encoding="utf-8"))
text = replace_block(text, "datasets", Path(snakemake.input.datasets).read_text(encoding="utf-8"))
text = replace_block(text, "deviations", deviations_table(snakemake.params.papers))
readme.write_text(text, encoding="utf-8")

page = Path(snakemake.params.scale_page)
tables = Path(snakemake.input.scale).read_text(encoding="utf-8")
page.write_text(replace_block(page.read_text(encoding="utf-8"), "scale", tables), encoding="utf-8")
