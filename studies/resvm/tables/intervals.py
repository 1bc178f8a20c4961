"""Tables 2.2 to 2.4: 95% intervals of the area under the PR curve, the test of RESVM against BAG, and wins."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from pulab.tables import Place, read_published, write_study_table
from pulab.tables.inputs import Inputs, Paths, Spec
from studies.resvm.scores import LEAST_REPEATS, N_PUBLISHED, interval_cells
from pulab.tables.sentences import sentences
from pulab.tables.verdict import VERDICTS, add_verdicts
from pulab.trials.artifacts import OPTIONAL, Artifact, Entry, Method, Places, Setting

LEGEND = (
    "Ours over {repeats}, then the paper's over {n_published} in italics: 95% intervals of the mean "
    f"(the mean alone for fewer than {LEAST_REPEATS} repeats). p: whether RESVM is better than BAG "
    "(Wilcoxon, one-sided; • < 0.05, •• < 0.01, ••• < 0.001). Last: in how many repeats each method is the best."
)


class Keys(Artifact):
    class LookedAt(Entry):
        """Rows of tables that get a closer look."""

        rows: list[str]
        tables: dict[Setting, str]
        blind: list[Method]
        edges: dict[Method, str]

    published: str
    setting: Setting
    compare: list[Method]
    rows: Places
    looked_at: LookedAt = OPTIONAL
    n_published: int = OPTIONAL


def render(spec: Spec, inputs: Inputs, paths: Paths) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    n_published = spec.get("n_published", N_PUBLISHED)
    methods = {method: spec["methods"][method].split(",")[0] for method in spec["compare"]}
    cells = interval_cells(
        inputs.results,
        read_published(inputs.published, str(spec.get("published", "none"))),
        [Place.of(row) for row in spec["rows"]],
        methods,
        setting=spec["setting"],
        stand_ins=spec["stand_ins"],
        n_published=n_published,
    )
    legend = LEGEND.format(n_published=n_published, repeats="{repeats}")
    spec = {**spec, "n_published": n_published}
    remarks = remarks_on_choices(spec, inputs, methods) if _tells(spec) else []
    write_study_table(spec, cells, paths, decimals=1, legend=legend, remarks=remarks)


def _tells(spec: Spec) -> bool:
    """Whether it is one of the chapter's own tables, by the main reading, and more than a demonstration."""
    return "looked_at" in spec and spec.get("reading", "main") == "main" and spec["preset"] == "paper"


def remarks_on_choices(spec: Spec, inputs: Inputs, methods: Mapping[str, str]) -> list[str]:
    """Sentences on the grids: which digits were seen, what agrees on these and on the others, and which edges were left.

    Parameters
    ----------
    spec : mapping
        The table's entry; ``looked_at`` has ``rows`` (seen before the grid of C_U was chosen), ``tables`` (setting to
        published table), ``blind`` (the methods with grids that a rule chose) and ``edges`` (CWSVM's and bagging's
        parameters whose edges count, by method).
    methods : mapping of method to column label
    """
    chosen, rows = spec["looked_at"], [Place.of(row) for row in spec["rows"] if row["label"].startswith("mnist ")]
    judged = _judged(spec, inputs, rows, methods)
    blind = _judged(spec, inputs, rows, dict(zip(chosen["blind"], methods.values(), strict=True)))
    seen = judged["row"].isin(chosen["rows"])
    digits = [row.removeprefix("mnist ") for row in chosen["rows"]]
    inconclusive = int((blind["verdict"] == "cannot tell").sum())
    penalty, bagging = (_on_edge(spec, inputs, rows, *edge) for edge in chosen["edges"].items())
    said = sentences(
        "resvm_choices",
        digits=digits,
        tables=list(chosen["tables"].values()),
        seen=_reproduced(judged[seen]),
        unseen=_reproduced(judged[~seen]),
        penalty=penalty,
        bagging=bagging,
        blind=_reproduced(blind),
        inconclusive=inconclusive,
    )
    return [sentence.text for sentence in said]


def _judged(spec: Spec, inputs: Inputs, rows: list[Place], methods: Mapping[str, str]) -> pd.DataFrame:
    """Areas of all three settings that have a verdict."""
    parts = []
    for setting, table in spec["looked_at"]["tables"].items():
        published = read_published(inputs.published, table)
        cells = interval_cells(inputs.results, published, rows, methods, setting=setting, stand_ins=spec["stand_ins"])
        parts.append(add_verdicts(cells[cells["kind"] == "performance"], n_published=spec["n_published"]))
    judged = pd.concat(parts)
    return judged[judged["verdict"].isin(VERDICTS)]


def _reproduced(cells: pd.DataFrame) -> str:
    return f"{int((cells['verdict'] == 'reproduced').sum())} of {len(cells)}"


def _on_edge(spec: Spec, inputs: Inputs, rows: list[Place], method: str, parameter: str) -> str:
    names = [row.select["dataset"] for row in rows]
    choices = inputs.results
    choices = choices[(choices["method"] == method) & (choices["setting"] == spec["setting"]) & choices["dataset"].isin(names)]
    return f"{choices.loc[choices['metric'] == f'edge_{parameter}', 'value'].mean():.0%}"
