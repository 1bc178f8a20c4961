"""Tables that compare means over repeats with published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pulab.plan.study import StudyError, hint
from pulab.tables.cells import Place, comparison_cells, selected, times_with_reasons
from pulab.tables.results import Paper, Results, Table


def comparison(
    results: Results,
    paper: Paper,
    table: str,
    rows: Sequence[Place],
    columns: Sequence[Place],
    *,
    metric: str = "",
    scale: float = 1.0,
    decimals: int = 2,
    n_published: int = 5,
    timed: bool = False,
    **select: Any,
) -> Table:
    """Means over repeats by rows and columns, next to those of a published table.

    Parameters
    ----------
    results : Results
    paper : Paper
    table : str
        The published table.
    rows, columns : sequences of Place
    metric : str
        What a cell averages over repeats, unless its row or column selects another.
    scale : float
        Ours times this has the published unit.
    decimals, n_published : int
    timed : bool
        Whether cells are seconds.
    **select
        What all cells select, unless their row or column says otherwise: ``setting="standard"``.

    Raises
    ------
    StudyError
        If the paper has no such table.
    """
    known = sorted(set(paper.cells["table"]))
    if results.shown.published and known and table not in known:
        raise StudyError(f"{results.name}: published.csv has no table {table!r}{hint(table, known)}; its tables are {known}")
    tidy = times_with_reasons(results.timings, results.tidy) if timed else results.tidy
    cells = comparison_cells(
        tidy, paper.table(table), rows, columns, metric=metric, value="seconds" if timed else "value", scale=scale,
        stand_ins=results.stand_ins, shared=select,
    )  # fmt: skip
    return Table(
        cells,
        decimals={column.label: decimals if column.decimals is None else column.decimals for column in columns},
        caption=_with_machines(results, tidy, rows, select) if timed else None,
        kind="time" if timed else "performance",
        n_published=n_published,
    )


def _with_machines(results: Results, tidy: Any, rows: Sequence[Place], select: Mapping[str, Any]) -> str:
    """The caption, and where the times were measured."""
    caption = results.shown.caption
    if not (tidy["status"] == "ok").any():
        return caption
    settings = [row.select["setting"] for row in rows if "setting" in row.select]
    shown = selected(tidy, select)
    shown = shown[(shown["status"] == "ok") & (shown["setting"].isin(settings) | (not settings))]
    return f"{caption} Ours: {'; '.join(sorted(set(shown['machine'])))}.".strip()
