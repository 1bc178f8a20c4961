"""Table 2.1: the data sets as they were used, counted in the trials themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pulab.tables import Place, comparison_cells, read_published, write_study_table
from pulab.tables.inputs import Inputs


def render(spec: Mapping[str, Any], inputs: Inputs, paths: Mapping[str, str]) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    published = read_published(inputs.published, str(spec["published"]))
    rows = [Place.of(row) for row in spec["rows"]]
    parts = [
        comparison_cells(
            inputs.results,
            published,
            rows,
            [Place.of(column)],
            metric="",
            scale=100.0 if "%" in spec["units"][k] else 1.0,
            stand_ins=spec["stand_ins"],
            shared={"setting": spec["setting"], "method": spec["method"]},
        )
        for k, column in enumerate(spec["columns"])
    ]
    cells = pd.concat(parts, ignore_index=True)
    cells["ours_sd"] = float("nan")
    write_study_table(spec, cells, paths, kind="fact", decimals=0)
