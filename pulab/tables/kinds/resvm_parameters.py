"""Table 2.6: medians of RESVM's tuned parameters per digit and setting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulab.tables import read_published, write_study_table
from pulab.tables.inputs import Inputs
from pulab.tables.tuned import N_PUBLISHED, parameter_cells, within_one_step


def render(spec: Mapping[str, Any], inputs: Inputs, paths: Mapping[str, str]) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    cells = parameter_cells(
        inputs.results,
        read_published(inputs.published, str(spec["published"])),
        spec["tasks"],
        spec["parameters"],
        spec["settings"],
        method=spec["method"],
        stand_ins=spec["stand_ins"],
    )
    spec = {"n_published": N_PUBLISHED, **spec}
    grids = [entry["method"]["grid"] for entry in spec["resolved"].values()]
    write_study_table(
        spec,
        cells,
        paths,
        kind="parameter",
        decimals=spec.get("decimals", 2),
        legend="Ours, medians over {repeats}, then the chapter's in italics.",
        remarks=[] if spec["preset"] == "quick" else [within_one_step(cells, _steps(spec["parameters"], grids[0]))],
    )


def _steps(parameters: Mapping[str, str], grid: Mapping[str, Any]) -> dict[str, Any]:
    """The searched values by the label of their row."""
    return {label: grid[metric.removeprefix("best_")] for metric, label in parameters.items()}
