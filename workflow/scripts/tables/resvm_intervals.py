"""Tables 2.2 to 2.4: 95% intervals of the area under the PR curve, the test of RESVM against BAG, and wins."""

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.tables import Place, add_verdicts, read_published
from pulib.tables.resvm import N_PUBLISHED, interval_cells, write_interval_table

start_log(snakemake.log[0])
spec = snakemake.params.spec
n_published = spec.get("n_published", N_PUBLISHED)
cells = interval_cells(
    results.read(snakemake.input.results),
    read_published(snakemake.input.published, str(spec.get("published", "none"))),
    [Place(**row) for row in spec["rows"]],
    {method: spec["methods"][method].split(",")[0] for method in spec["compare"]},
    setting=spec["setting"],
    metric=spec.get("metric", "pr_auc"),
    stand_ins=spec["stand_ins"],
    n_published=n_published,
)
cells["paper"], cells["table"] = spec["paper"], spec["name"]
write_interval_table(
    add_verdicts(cells, n_published=n_published),
    dict(snakemake.output.items()),
    title=spec["title"],
    caption=spec.get("caption", ""),
    label=f"{spec['paper']}-{spec['name']}",
    n_published=n_published,
)
