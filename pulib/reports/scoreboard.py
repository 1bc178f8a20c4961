"""The scoreboard: how many cells have which verdict, by table and by paper, and how many claims."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from pulib.reports.claims import claim_counts, count_table
from pulib.tables import VERDICTS


def cell_counts(cells: pd.DataFrame, by: Sequence[str] = ("paper",)) -> pd.DataFrame:
    """Cells by paper (or paper and table) and verdict; the last row counts all of them."""
    counts = cells.groupby(list(by), sort=False)["verdict"].value_counts().unstack(fill_value=0)
    counts = counts.reindex(columns=[v for v in VERDICTS if v in counts.columns])
    total = counts.sum().to_frame().T
    total.index = _last_row(len(by))
    return pd.concat([counts, total])


def _last_row(levels: int) -> pd.Index:
    return pd.Index(["**all**"]) if levels == 1 else pd.MultiIndex.from_tuples([("**all**", *[""] * (levels - 1))])


def summary_markdown(cells: pd.DataFrame, claims: pd.DataFrame) -> str:
    """Two tables: cells by paper and verdict, claims by paper and verdict."""
    parts = ["Cells of the papers' tables:", count_table(cell_counts(cells))]
    if len(claims):
        parts += ["Claims, sentence by sentence:", count_table(claim_counts(claims))]
    return "\n\n".join(parts)


def scoreboard_markdown(cells: pd.DataFrame, claims: pd.DataFrame) -> str:
    """The summary, then the cells table by table."""
    counts = cell_counts(cells, ("paper", "table"))
    counts.index = [" | ".join(pair) for pair in counts.index]
    by_table = count_table(counts, "paper | table").replace("|---|", "|---|---|", 1)
    return f"{summary_markdown(cells, claims)}\n\nCells, table by table:\n\n{by_table}\n"
