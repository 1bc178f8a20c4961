"""Layers of the networks, counted on networks built as the configuration says."""

from __future__ import annotations

import importlib.util

from pulab.tables import read_published, write_study_table
from pulab.tables.cells import cells_of
from pulab.tables.inputs import Cell, Inputs, Paths, Spec
from pulab.trials.artifacts import Artifact, Dataset, Resolve
from pulib.neural import describe_body


class Keys(Artifact):
    published: str
    resolve: Resolve
    rows: dict[str, Dataset]
    column: str


def render(spec: Spec, inputs: Inputs, paths: Paths) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    published = read_published(inputs.published, str(spec["published"]))
    of_paper = {cell.row: cell.mean for cell in published.itertuples() if cell.column == spec["column"]}
    here = importlib.util.find_spec("torch") is not None
    rows = []
    for label, dataset in spec["rows"].items():
        resolved = spec["resolved"][dataset]
        params = resolved["method"]["params"]
        layers: Cell = {"status": "unavailable", "note": "the Python package 'torch' is not installed"}
        if here:
            facts = describe_body(params["body"], resolved["n_features"], params.get("body_params"))
            note = f"{facts.layers}; {params.get('optimizer', 'adam').capitalize()}"
            layers = {"ours": float(facts.n_layers), "note": note}
        place = {"row": label, "column": spec["column"], "dataset": dataset}
        rows.append({**place, "published": of_paper[label], "unit": "layers", "n": 1, **layers})
    write_study_table(spec, cells_of(rows), paths, kind="fact", decimals=0)
