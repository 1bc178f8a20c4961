"""Table 2.5: wins per setting, as they are and with each multi-class set counted once."""

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.tables import add_verdicts, read_published, write_table
from pulib.tables.resvm import N_PUBLISHED, win_cells

start_log(snakemake.log[0])
spec = snakemake.params.spec
stand_ins = spec["stand_ins"]
cells = win_cells(
    results.read(snakemake.input.results),
    read_published(snakemake.input.published, str(spec["published"])),
    {name: [stand_ins.get(task, task) for task in tasks] for name, tasks in spec["families"].items()},
    {method: spec["methods"][method] for method in spec["compare"]},
    spec["settings"],
    spec.get("metric", "pr_auc"),
)
cells["paper"], cells["table"] = spec["paper"], spec["name"]
write_table(
    add_verdicts(cells, n_published=N_PUBLISHED),
    dict(snakemake.output.items()),
    title=spec["title"],
    caption=spec.get("caption", ""),
    label=f"{spec['paper']}-{spec['name']}",
    decimals=1,
)
