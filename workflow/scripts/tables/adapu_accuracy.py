"""Table 2 of the Ada-PU paper: accuracy of every method on every data set, the published one beside ours."""

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.tables import add_verdicts, read_published, write_table
from pulib.tables._adapu import accuracy_cells

start_log(snakemake.log[0])
spec = snakemake.params.spec
published = read_published(snakemake.input.published, spec["published"])
cells = accuracy_cells(results.read(snakemake.input.results), published, spec)
cells["paper"], cells["table"] = spec["paper"], spec["name"]
write_table(
    add_verdicts(cells),
    dict(snakemake.output.items()),
    title=spec["title"],
    caption=spec["caption"],
    label=f"{spec['paper']}-{spec['name']}",
    remarks=spec.get("remarks") if spec["preset"] == "paper" else None,
)
