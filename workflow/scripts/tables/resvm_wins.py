"""Table 2.5: wins per setting, as they are and with each multi-class set counted once."""

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.tables import add_verdicts, read_published, write_table
from pulib.tables.resvm import win_cells

start_log(snakemake.log[0])
spec = snakemake.params.spec
cells = win_cells(
    results.read(snakemake.input.results),
    read_published(snakemake.input.published, str(spec["published"])),
    spec["families"],
    {method: spec["methods"][method] for method in spec["compare"]},
    spec["settings"],
    spec.get("metric", "pr_auc"),
    stand_ins=spec["stand_ins"],
)
cells["paper"], cells["table"] = spec["paper"], spec["name"]
write_table(
    add_verdicts(cells),
    dict(snakemake.output.items()),
    title=spec["title"],
    caption=spec.get("caption", ""),
    label=f"{spec['paper']}-{spec['name']}",
    decimals=1,
)
