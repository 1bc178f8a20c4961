"""Layers of the networks, counted on networks built as the configuration says."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import Any

import pandas as pd

from pulab.tables import read_published, write_study_table
from pulab.tables.cells import CELL_COLUMNS
from pulab.tables.inputs import Inputs


def render(spec: Mapping[str, Any], inputs: Inputs, paths: Mapping[str, str]) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    published = read_published(inputs.published, str(spec["published"]))
    printed = {cell.row: cell.mean for cell in published.itertuples() if cell.column == spec["column"]}
    here = importlib.util.find_spec("torch") is not None
    rows = []
    for label, dataset in spec["rows"].items():
        resolved = spec["resolved"][dataset]
        params = resolved["method"]["params"]
        layers = {"ours": float("nan"), "status": "unavailable", "note": "the Python package 'torch' is not installed"}
        if here:
            from pulib.neural._describe import count_layers
            from pulib.neural._networks import Network, build_network, describe_network

            network = build_network(params["body"], resolved["n_features"], params.get("body_params"), 0)
            assert isinstance(network, Network)
            note = f"{describe_network(network)}; {params.get('optimizer', 'adam').capitalize()}"
            layers = {"ours": float(count_layers(network)), "status": "ok", "note": note}
        rows.append(
            {
                "row": label,
                "column": spec["column"],
                "published": printed[label],
                "unit": "layers",
                "n": 1,
                "stand_in": "",
                **layers,
            }
        )
    write_study_table(spec, pd.DataFrame(rows).reindex(columns=CELL_COLUMNS), paths, kind="fact", decimals=0)
