"""Layers of the networks, counted on networks built as the configuration says."""

import importlib.util

import pandas as pd

from pulib.experiments.logs import start_log
from pulib.tables import add_verdicts, read_published, write_table
from pulib.tables.cells import CELL_COLUMNS

start_log(snakemake.log[0])
spec = snakemake.params.spec
published = read_published(snakemake.input.published, str(spec["published"]))
printed = {cell.row: cell.mean for cell in published.itertuples() if cell.column == spec["column"]}
here = importlib.util.find_spec("torch") is not None
rows = []
for label, dataset in spec["rows"].items():
    resolved = spec["resolved"][dataset]
    params = resolved["method"]["params"]
    found = {"ours": float("nan"), "status": "unavailable", "note": "the Python package 'torch' is not installed"}
    if here:
        from pulib.neural._describe import count_layers
        from pulib.neural._networks import build_network, describe_network

        network = build_network(params["body"], resolved["n_features"], params.get("body_params"), 0)
        note = f"{describe_network(network)}; {params.get('optimizer', 'adam').capitalize()}"
        found = {"ours": float(count_layers(network)), "status": "ok", "note": note}
    rows.append(
        {"row": label, "column": spec["column"], "published": printed[label], "unit": "layers", "n": 1, "stand_in": "", **found}
    )
cells = pd.DataFrame(rows).assign(paper=spec["paper"], table=spec["name"], published_sd=float("nan"), ours_sd=float("nan"))
write_table(
    add_verdicts(cells[CELL_COLUMNS]),
    dict(snakemake.output.items()),
    title=spec["title"],
    caption=spec["caption"],
    label=f"{spec['paper']}-{spec['name']}",
    decimals=0,
)
