"""Table 2.6: medians of RESVM's tuned parameters per digit and setting."""

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.tables import add_verdicts, read_published, write_table
from pulib.tables.tuned import N_PUBLISHED, parameter_cells

start_log(snakemake.log[0])
spec = snakemake.params.spec
cells = parameter_cells(
    results.read(snakemake.input.results),
    read_published(snakemake.input.published, str(spec["published"])),
    spec["tasks"],
    spec["parameters"],
    spec["settings"],
    method=spec["method"],
    stand_ins=spec["stand_ins"],
)
cells["paper"], cells["table"] = spec["paper"], spec["name"]
write_table(
    add_verdicts(cells, n_published=N_PUBLISHED),
    dict(snakemake.output.items()),
    title=spec["title"],
    caption=spec.get("caption", ""),
    label=f"{spec['paper']}-{spec['name']}",
    decimals=spec.get("decimals", 2),
)
