"""Which reading of the OPU paper comes closest to its tables, by data set."""

import numpy as np
import pandas as pd

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.tables import add_verdicts, read_published, write_table
from pulib.tables._readings import reading_distances

start_log(snakemake.log[0])
spec = snakemake.params.spec
published = pd.concat([read_published(snakemake.input.published, table) for table in spec["published_tables"]])
rows = spec["rows"]
if spec["stand_ins"]:  # a stand-in's accuracy has no distance from another set's
    rows = {label: name for label, name in rows.items() if name not in spec["stand_ins"]} or rows
cells = reading_distances(results.read(snakemake.input.results), published, {**spec, "rows": rows})
cells["paper"], cells["table"] = spec["paper"], spec["name"]
cells = cells.assign(published=np.nan, published_sd=np.nan, unit="points", stand_in="")
write_table(
    add_verdicts(cells),
    dict(snakemake.output.items()),
    title=spec["title"],
    caption=spec["caption"],
    label=f"{spec['paper']}-{spec['name']}",
    decimals=spec["decimals"],
)
