"""How often a tuned parameter lay on the edge of its grid or box, which the paper checked by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulab.tables import Place, write_study_table
from pulab.tables.inputs import Inputs
from pulab.tables.tuned import edge_cells


def render(spec: Mapping[str, Any], inputs: Inputs, paths: Mapping[str, str]) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    tidy = inputs.results
    tidy = tidy[tidy["setting"].str.startswith("sweep") == bool(spec.get("sweeps"))]
    rows = [Place(row["label"], {"dataset": row["select"]["dataset"]}) for row in spec["rows"]]
    methods = {method: spec["methods"][method] for method in spec["compare"]}
    cells = edge_cells(tidy, rows, methods, stand_ins=spec["stand_ins"])
    write_study_table(spec, cells, paths, decimals=0)
