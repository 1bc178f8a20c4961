"""How often a tuned parameter lay on the edge of its grid or box, which the paper checked by hand."""

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.tables import Place, add_verdicts, write_table
from pulib.tables.tuned import edge_cells

start_log(snakemake.log[0])
spec = snakemake.params.spec
tidy = results.read(snakemake.input.results)
tidy = tidy[tidy["setting"].str.startswith("sweep") == bool(spec.get("sweeps"))]
rows = [Place(row["label"], {"dataset": row["select"]["dataset"]}) for row in spec["rows"]]
methods = {method: spec["methods"][method] for method in spec["compare"]}
cells = edge_cells(tidy, rows, methods, stand_ins=spec["stand_ins"])
cells["paper"], cells["table"] = spec["paper"], spec["name"]
write_table(
    add_verdicts(cells),
    dict(snakemake.output.items()),
    title=spec["title"],
    caption=spec.get("caption", ""),
    label=f"{spec['paper']}-{spec['name']}",
    decimals=0,
)
