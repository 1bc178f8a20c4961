"""Table 2.1: the data sets as they were used, counted in the trials themselves."""

import pandas as pd

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.tables import Place, add_verdicts, comparison_cells, read_published, write_table

start_log(snakemake.log[0])
spec = snakemake.params.spec
tidy = results.read(snakemake.input.results)
tidy = tidy[(tidy["setting"] == spec["setting"]) & (tidy["method"] == spec["method"])]
published = read_published(snakemake.input.published, str(spec["published"]))
rows = [Place(**row) for row in spec["rows"]]
parts = [
    comparison_cells(
        tidy,
        published,
        rows,
        [Place(**column)],
        metric="",
        scale=100.0 if "%" in spec["units"][k] else 1.0,
        stand_ins=spec["stand_ins"],
    )
    for k, column in enumerate(spec["columns"])
]
cells = pd.concat(parts, ignore_index=True)
cells["ours_sd"] = float("nan")
cells["paper"], cells["table"] = spec["paper"], spec["name"]
write_table(
    add_verdicts(cells, n_published=1),
    dict(snakemake.output.items()),
    title=spec["title"],
    caption=spec.get("caption", ""),
    label=f"{spec['paper']}-{spec['name']}",
    decimals=0,
)
