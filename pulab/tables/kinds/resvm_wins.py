"""Table 2.5: wins per setting, as they are and with each multi-class set counted once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulab.tables import read_published, write_study_table
from pulab.tables.inputs import Inputs
from pulab.tables.resvm import win_cells


def render(spec: Mapping[str, Any], inputs: Inputs, paths: Mapping[str, str]) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    cells = win_cells(
        inputs.results,
        read_published(inputs.published, str(spec["published"])),
        spec["families"],
        {method: spec["methods"][method] for method in spec["compare"]},
        spec["settings"],
        spec.get("metric", "pr_auc"),
        stand_ins=spec["stand_ins"],
    )
    write_study_table(spec, cells, paths, kind="wins", decimals=1)
