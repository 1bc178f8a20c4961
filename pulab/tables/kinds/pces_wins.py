"""Table 3: on how many data sets a method is significantly better, as good as, and worse than each of its rivals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulab.tables import read_published, write_study_table
from pulab.tables.inputs import Inputs
from pulab.tables.wins import win_cells


def render(spec: Mapping[str, Any], inputs: Inputs, paths: Mapping[str, str]) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    stand_ins = spec["stand_ins"]
    cells = win_cells(
        inputs.results,
        read_published(inputs.published, str(spec["published"])),
        spec["references"],
        spec["rivals"],
        [stand_ins.get(name, name) for name in spec["test_datasets"]],
        metric=spec["metric"],
        setting=spec["test_setting"],
        alpha=spec["alpha"],
    )
    cells["stand_in"] = ", ".join(sorted({stand_ins[name] for name in spec["test_datasets"] if name in stand_ins}))
    legend = "Number of data sets: ours, then the paper's in italics; one data set is 25 points."
    write_study_table(
        {**spec, "points": 100.0 / len(spec["test_datasets"])}, cells, paths, kind="wins", decimals=0, legend=legend
    )
