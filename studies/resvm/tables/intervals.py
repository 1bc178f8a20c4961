"""Tables 2.2 to 2.4: 95% intervals of the area under the PR curve, the test of RESVM against BAG, and wins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from pulab.tables import Paper, Place, Results, Table
from pulab.tables.sentences import sentences
from pulab.tables.verdict import VERDICTS, add_verdicts
from studies.resvm.places import BLIND, METHODS, MNIST, NAMES, PRINTED, rows_of
from studies.resvm.scores import LEAST_REPEATS, N_PUBLISHED, interval_cells

#: Digits that were seen before the grid of C_U was chosen, and the parameters of CWSVM and of bagging whose edges are reported.
SEEN_DIGITS = ("3", "7", "8")
EDGES = {"resvm_cwsvm": "C_unlabeled", "resvm_bag": "C"}

LEGEND = (
    "Ours over {repeats}, then the paper's over {n_published} in italics: 95% intervals of the mean "
    f"(the mean alone for fewer than {LEAST_REPEATS} repeats). p: whether RESVM is better than BAG "
    "(Wilcoxon, one-sided; • < 0.05, •• < 0.01, ••• < 0.001; reversed: BAG is significantly better). Last: in how many repeats "
    "each method is the best, ties shared."
)


def interval_table(
    results: Results,
    paper: Paper,
    table: str,
    setting: str,
    rows: Sequence[Place],
    methods: Sequence[str],
    *,
    n_published: int = N_PUBLISHED,
) -> Table:
    """Return the areas of one setting, next to those of a published table."""
    cells = interval_cells(
        results.tidy,
        paper.table(table),
        rows,
        dict(zip(methods, NAMES, strict=True)),
        setting=setting,
        stand_ins=results.stand_ins,
        n_published=n_published,
    )
    # shown below the chapter's own tables, but not in a demonstration
    has_remarks = results.shown.reading == "main" and results.preset == "paper"
    return Table(
        cells,
        decimals=1,
        legend=LEGEND.format(n_published=n_published, repeats="{repeats}"),
        remarks=remarks_on_choices(results, paper, setting) if has_remarks else [],
        n_published=n_published,
    )


def remarks_on_choices(results: Results, paper: Paper, setting: str) -> list[str]:
    """Return sentences on the grids: which digits were seen, how many cells agree on these and on the others, and edges."""
    judged, blind = (_judged(results, paper, methods) for methods in (METHODS, BLIND))
    seen = judged["row"].isin([f"mnist {digit}" for digit in SEEN_DIGITS])
    inconclusive = int((blind["verdict"] == "cannot tell").sum())
    penalty, bagging = (_on_edge(results, setting, *edge) for edge in EDGES.items())
    said = sentences(
        Path(__file__).parents[1] / "templates" / "choices.md.jinja",
        digits=SEEN_DIGITS,
        tables=list(PRINTED.values()),
        seen=_reproduced(judged[seen]),
        unseen=_reproduced(judged[~seen]),
        penalty=penalty,
        bagging=bagging,
        blind=_reproduced(blind),
        inconclusive=inconclusive,
    )
    return [sentence.text for sentence in said]


def _judged(results: Results, paper: Paper, methods: Sequence[str]) -> pd.DataFrame:
    """Return the areas on MNIST that have a verdict, in all three settings."""
    parts, labels = [], dict(zip(methods, NAMES, strict=True))
    for setting, table in PRINTED.items():
        published = paper.table(table)
        cells = interval_cells(results.tidy, published, rows_of(MNIST), labels, setting=setting, stand_ins=results.stand_ins)
        parts.append(add_verdicts(cells[cells["kind"] == "performance"], n_published=N_PUBLISHED))
    judged = pd.concat(parts)
    return judged[judged["verdict"].isin(VERDICTS)]


def _reproduced(cells: pd.DataFrame) -> str:
    return f"{int((cells['verdict'] == 'reproduced').sum())} of {len(cells)}"


def _on_edge(results: Results, setting: str, method: str, parameter: str) -> str:
    choices = results.tidy
    choices = choices[(choices["method"] == method) & (choices["setting"] == setting) & choices["dataset"].isin(MNIST)]
    return f"{choices.loc[choices['metric'] == f'edge_{parameter}', 'value'].mean():.0%}"
