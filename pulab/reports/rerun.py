"""The paper's, the published and the new value of every cell whose trials were run once more."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pulab.tables.sheet import Grid
from pulab.trials.results import GROUP

CELL_COLUMNS = ["study", "table", "row", "column", "unit", "paper", "published", "new", "agrees"]


def rerun_cells(scoreboard: pd.DataFrame, agreement: pd.DataFrame) -> pd.DataFrame:
    """One row per mean over repeats that a table shows of the trials that were run once more.

    Parameters
    ----------
    scoreboard : DataFrame
        All cells (:data:`pulab.tables.record.RECORD_COLUMNS`).
    agreement : DataFrame
        What :func:`pulab.trials.rerun.agreement` returns.
    """
    means = scoreboard[scoreboard["kind"].isin(["performance", "fact"])] if len(scoreboard) else scoreboard
    if means.empty:
        return pd.DataFrame(columns=CELL_COLUMNS)
    found = pd.concat([_matched(part, agreement, blank) for blank, part in means.groupby(_blank(means), sort=False)])
    scaled = {side: found[side] * found["scale"] for side in ("published", "new")}
    return found.assign(**scaled)[CELL_COLUMNS]


def _blank(cells: pd.DataFrame) -> pd.Series:
    """By cell the columns of its group that its table leaves open, such as the only setting of a study."""
    return cells[GROUP].fillna("").eq("").apply(lambda row: " ".join(row.index[row]), axis=1)


def _matched(cells: pd.DataFrame, agreement: pd.DataFrame, blank: str) -> pd.DataFrame:
    keys = [name for name in [*GROUP, "metric"] if name not in blank.split()]
    return cells.rename(columns={"published": "paper"}).merge(agreement[[*keys, "published", "new", "agrees"]], on=keys)


def rerun_text(cells: pd.DataFrame, agreement: pd.DataFrame) -> str:
    """Both, as Markdown: cells first, then every number by its metric."""
    right, wrong = (int((agreement["agrees"] == word).sum()) for word in ("yes", "no"))
    lines = [f"{right} metrics agree with the published ones within the tolerance of their method, {wrong} do not."]
    lines += [_grid(frame).markdown() for frame in (cells, agreement) if len(frame)]
    return "\n\n".join(lines) + "\n"


def _grid(frame: pd.DataFrame) -> Grid:
    def text(value: Any) -> Any:
        return f"{value:.6g}" if isinstance(value, float) and value == value else value

    return Grid.of(frame.columns, ([text(value) for value in row] for row in frame.itertuples(index=False)))
