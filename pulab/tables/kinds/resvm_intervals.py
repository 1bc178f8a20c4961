"""Tables 2.2 to 2.4: 95% intervals of the area under the PR curve, the test of RESVM against BAG, and wins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulab.tables import Place, read_published, write_study_table
from pulab.tables.inputs import Inputs
from pulab.tables.resvm import LEAST_REPEATS, N_PUBLISHED, interval_cells
from pulab.tables.resvm_choices import remarks_on_choices

LEGEND = (
    "Ours over {repeats}, then the paper's over {n_published} in italics: 95% intervals of the mean "
    f"(the mean alone for fewer than {LEAST_REPEATS} repeats). p: whether RESVM is better than BAG "
    "(Wilcoxon, one-sided; • < 0.05, •• < 0.01, ••• < 0.001). Last: in how many repeats each method is the best."
)


def render(spec: Mapping[str, Any], inputs: Inputs, paths: Mapping[str, str]) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    n_published = spec.get("n_published", N_PUBLISHED)
    methods = {method: spec["methods"][method].split(",")[0] for method in spec["compare"]}
    cells = interval_cells(
        inputs.results,
        read_published(inputs.published, str(spec.get("published", "none"))),
        [Place.of(row) for row in spec["rows"]],
        methods,
        setting=spec["setting"],
        metric=spec.get("metric", "pr_auc"),
        stand_ins=spec["stand_ins"],
        n_published=n_published,
    )
    legend = LEGEND.format(n_published=n_published, repeats="{repeats}")
    spec = {**spec, "n_published": n_published}
    remarks = remarks_on_choices(spec, inputs, methods) if _tells(spec) else []
    write_study_table(spec, cells, paths, decimals=1, legend=legend, remarks=remarks)


def _tells(spec: Mapping[str, Any]) -> bool:
    """Whether it is one of the chapter's own tables, by the main reading, and more than a demonstration."""
    return "looked_at" in spec and spec.get("reading", "main") == "main" and spec["preset"] == "paper"
