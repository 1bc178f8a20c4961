"""Which reading of the OPU paper comes closest to its tables, by data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pulab.tables import read_published, write_study_table
from pulab.tables.inputs import Inputs
from pulab.tables.readings import reading_distances


def render(spec: Mapping[str, Any], inputs: Inputs, paths: Mapping[str, str]) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    published = pd.concat([read_published(inputs.published, table) for table in spec["published_tables"]])
    rows = spec["rows"]
    if spec["stand_ins"]:  # a stand-in's accuracy has no distance from another set's
        rows = {label: name for label, name in rows.items() if name not in spec["stand_ins"]} or rows
    cells = reading_distances(inputs.results, published, {**spec, "rows": rows})
    cells = cells.assign(published=np.nan, published_sd=np.nan, unit="points", stand_in="")
    write_study_table(spec, cells, paths, decimals=spec["decimals"], legend="Mean distance (sd) over the cells of a data set.")
