"""Any table that compares means over repeats with published ones; its rows and columns are in the paper's configuration."""

from __future__ import annotations

from typing import Literal

from pulab.tables import Place, comparison_cells, read_published, times_with_reasons, write_study_table
from pulab.tables.cells import selected
from pulab.tables.inputs import Inputs, Paths, Spec
from pulab.trials.artifacts import OPTIONAL, Artifact, Places, Select


class Keys(Artifact):
    published: str
    metric: str
    rows: Places
    columns: Places
    scale: float = OPTIONAL
    decimals: int = OPTIONAL
    n_published: int = OPTIONAL
    select: Select = OPTIONAL
    source: Literal["results", "timings"] = OPTIONAL


def render(spec: Spec, inputs: Inputs, paths: Paths) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    source = spec.get("source", "results")
    published = read_published(inputs.published, str(spec["published"]))
    tidy = inputs.results
    if source == "timings":
        tidy = times_with_reasons(inputs.timings, tidy)
    decimals = {column["label"]: column.get("decimals", spec.get("decimals", 2)) for column in spec["columns"]}
    caption = spec.get("caption", "")
    if source == "timings" and (tidy["status"] == "ok").any():
        settings = [row["select"]["setting"] for row in spec["rows"] if "setting" in row.get("select", {})]
        shown = selected(tidy, spec.get("select", {}))
        shown = shown[(shown["status"] == "ok") & (shown["setting"].isin(settings) | (not settings))]
        caption = f"{caption} Ours: {'; '.join(sorted(set(shown['machine'])))}.".strip()
    cells = comparison_cells(
        tidy,
        published,
        [Place.of(row) for row in spec["rows"]],
        [Place.of(column) for column in spec["columns"]],
        metric=spec["metric"],
        value="seconds" if source == "timings" else "value",
        scale=spec.get("scale", 1.0),
        stand_ins=spec["stand_ins"],
        shared=spec.get("select"),
    )
    kind = "time" if source == "timings" else "performance"
    write_study_table(spec, cells, paths, kind=kind, decimals=decimals, caption=caption)
