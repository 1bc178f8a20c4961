"""Any table that compares means over repeats with published ones; its rows and columns are in the paper's configuration."""

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.tables import Place, add_verdicts, comparison_cells, read_published, times_with_reasons, write_table

start_log(snakemake.log[0])
spec = snakemake.params.spec
source = spec.get("source", "results")
published = read_published(snakemake.input.published, str(spec["published"]))
tidy = results.read(snakemake.input.results)
if source == "timings":
    tidy = times_with_reasons(results.read(snakemake.input.timings), tidy)
for name, wanted in spec.get("select", {}).items():
    tidy = tidy[tidy[name] == wanted]
decimals = {column["label"]: column.get("decimals", spec.get("decimals", 2)) for column in spec["columns"]}
caption = spec.get("caption", "")
if source == "timings" and (tidy["status"] == "ok").any():
    settings = [row["select"]["setting"] for row in spec["rows"] if "setting" in row.get("select", {})]
    shown = tidy[(tidy["status"] == "ok") & (tidy["setting"].isin(settings) | (not settings))]
    caption = f"{caption} Ours: {'; '.join(sorted(set(shown['machine'])))}.".strip()
cells = comparison_cells(
    tidy,
    published,
    [Place(row["label"], row.get("select", {}), row.get("published", "")) for row in spec["rows"]],
    [Place(column["label"], column.get("select", {}), column.get("published", "")) for column in spec["columns"]],
    metric=spec["metric"],
    value="seconds" if source == "timings" else "value",
    scale=spec.get("scale", 1.0),
    stand_ins=spec["stand_ins"],
)
cells["paper"], cells["table"] = spec["paper"], spec["name"]
write_table(
    add_verdicts(cells, n_published=spec.get("n_published", 5)),
    dict(snakemake.output.items()),
    title=spec["title"],
    caption=caption,
    label=f"{spec['paper']}-{spec['name']}",
    decimals=decimals,
    remarks=spec.get("remarks") if spec["preset"] == "paper" else None,
)
