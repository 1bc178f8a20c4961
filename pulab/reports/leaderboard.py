"""The level field's leaderboard for pages of text: the first rows, who is level with the best, and who was not ranked."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from pulab.tables.markup import Prose
from pulab.tables.sentences import text_of
from pulab.tables.sheet import Grid


def leaderboard(folder: Path) -> dict[str, str]:
    """The blocks ``podium`` (a table) and ``standing`` (what it does and does not say), as Markdown.

    Parameters
    ----------
    folder : Path
        With the level field's rendered tables.
    """
    overview, ranks = (pd.read_csv(folder / f"table_{name}.csv", keep_default_na=False) for name in ("overview", "ranks"))
    return {"podium": podium(overview).markdown(), "standing": standing(overview, ranks)}


def podium(cells: pd.DataFrame, n: int = 7) -> Grid:
    """The first ``n`` rows of the level field at a glance."""
    table = cells.pivot(index="row", columns="column", values="mark")
    table = table.loc[cells["row"].drop_duplicates().head(n), cells["column"].drop_duplicates()]
    rows = [
        [name, *(Prose(f"`{text}`") if column == "class" else text for column, text in zip(table.columns, own, strict=True))]
        for name, *own in table.itertuples()
    ]
    return Grid.of(["learner", *table.columns], rows)


def standing(overview: pd.DataFrame, ranks: pd.DataFrame) -> str:
    """Who has the best mean ranks, who is not significantly behind in any ranking, and who was not ranked.

    Parameters
    ----------
    overview, ranks : DataFrame
        Cells of the level field at a glance, and of its ranks, which have a row for every learner.
    """
    ranked = overview[overview["column"].str.startswith("rank")].astype(dict.fromkeys(("ours", "low", "high"), float))
    learners = ranked.groupby("row", sort=False)
    first = learners.get_group(ranked["row"].iloc[0])
    level = ranked["ours"].lt(ranked["high"]).groupby(ranked["row"], sort=False).all()
    means = ranks[ranks["column"].str.startswith("mean rank")]
    unranked = means["mark"].eq("").groupby(means["row"], sort=False).all()  # a ceiling or a trivial classifier has a dash
    return text_of(
        "standing.md",
        first=first["row"].iloc[0],
        best=int(first["ours"].eq(first["low"]).sum()),
        rankings=len(first),
        ranked=len(learners),
        level=[name for name in level.index[level] if name != first["row"].iloc[0]],
        unranked=list(unranked.index[unranked]),
    ).strip()
