"""Which reading of the Ada-PU paper's text comes closest to its table 2."""

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.tables import add_verdicts, read_published, write_table
from pulib.tables._adapu import reading_cells

start_log(snakemake.log[0])
spec = snakemake.params.spec
published = read_published(snakemake.input.published, spec["published"])
cells = reading_cells(results.read(snakemake.input.results), published, spec)
cells["paper"], cells["table"] = spec["paper"], spec["name"]
write_table(
    add_verdicts(cells),
    dict(snakemake.output.items()),
    title=spec["title"],
    caption=spec["caption"],
    label=f"{spec['paper']}-{spec['name']}",
    decimals=spec["decimals"],
)
