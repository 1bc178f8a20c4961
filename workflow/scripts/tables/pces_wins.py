"""Table 3: on how many data sets a method is significantly better, as good as, and worse than each of its rivals."""

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.tables import add_verdicts, read_published, write_table
from pulib.tables.wins import win_cells

start_log(snakemake.log[0])
spec = snakemake.params.spec
stand_ins = spec["stand_ins"]
cells = win_cells(
    results.read(snakemake.input.results),
    read_published(snakemake.input.published, str(spec["published"])),
    spec["references"],
    spec["rivals"],
    [stand_ins.get(name, name) for name in spec["test_datasets"]],
    metric=spec["metric"],
    setting=spec["test_setting"],
    alpha=spec["alpha"],
)
cells["paper"], cells["table"] = spec["paper"], spec["name"]
cells["stand_in"] = ", ".join(sorted({stand_ins[name] for name in spec["test_datasets"] if name in stand_ins}))
write_table(
    add_verdicts(cells),
    dict(snakemake.output.items()),
    title=spec["title"],
    caption=spec["caption"],
    label=f"{spec['paper']}-{spec['name']}",
    decimals=0,
)
