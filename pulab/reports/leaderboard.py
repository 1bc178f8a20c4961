"""The level field's leaderboard for pages of text: the first rows, who is level with the best, and who was not ranked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from pulab.tables import read_cells
from pulab.tables.markup import Prose
from pulab.tables.sentences import text_of
from pulab.tables.sheet import Grid
from pulib.datasets import load_registry


def leaderboard(folder: Path) -> dict[str, str]:
    """The blocks ``podium`` (a table) and ``standing`` (what it does and does not say), as Markdown.

    Parameters
    ----------
    folder : Path
        With the level field's rendered tables.
    """
    overview, ranks, tasks = (read_cells(folder / f"table_{name}.csv") for name in ("overview", "ranks", "tasks"))
    return {"podium": podium(overview).markdown(), "standing": standing(overview, ranks, by_chance(overview, tasks))}


def podium(cells: pd.DataFrame, n: int = 7) -> Grid:
    """The first ``n`` rows of the level field at a glance."""
    table = cells.pivot(index="row", columns="column", values="mark")
    table = table.loc[cells["row"].drop_duplicates().head(n), cells["column"].drop_duplicates()]
    rows = [
        [name, *(Prose(f"`{text}`") if column == "class" else text for column, text in zip(table.columns, own, strict=True))]
        for name, *own in table.itertuples()
    ]
    return Grid.of(["learner", *table.columns], rows)


def by_chance(overview: pd.DataFrame, tasks: pd.DataFrame, least: float = 0.9) -> list[str]:
    """The rankings whose best learner stays the best in fewer than ``least`` of 10,000 bootstrap samples of data sets.

    Parameters
    ----------
    overview, tasks : DataFrame
        Cells of the level field at a glance, and of its tasks, which have a number for every task and learner.  Tasks that
        are made of one data set are drawn together.
    """
    bases = {name: entry.get("base", name) for name, entry in load_registry().items()}
    ranked, doubtful = overview[overview["column"].str.startswith("rank")], []
    for (setting, metric), own in ranked.groupby(["setting", "metric"], sort=False):
        here = tasks[(tasks["setting"] == setting) & (tasks["metric"] == metric) & tasks["method"].isin(own["method"])]
        scores = here.pivot(index="dataset", columns="method", values="ours").dropna()
        if len(scores) < 2:
            continue
        places = scores.rank(axis="columns", ascending=False)
        by_set = places.groupby([bases.get(name, name) for name in places.index]).sum()
        draws = np.random.default_rng(0).multinomial(len(by_set), np.full(len(by_set), 1 / len(by_set)), 10_000)
        first = (draws @ by_set.to_numpy()).argmin(axis=1) == int(places.mean().argmin())
        if first.mean() < least:
            doubtful.append(str(own["column"].iloc[0]).removeprefix("rank by "))
    return doubtful


def standing(overview: pd.DataFrame, ranks: pd.DataFrame, doubtful: Sequence[str] = ()) -> str:
    """Who has the best mean ranks, who is not significantly behind in any ranking, and who was not ranked.

    Parameters
    ----------
    overview, ranks : DataFrame
        Cells of the level field at a glance, and of its ranks, which have a row for every learner.
    doubtful : sequence of str
        The rankings whose lead may be chance.
    """
    ranked = overview[overview["column"].str.startswith("rank")]
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
        doubtful=list(doubtful),
        level=[name for name in level.index[level] if name != first["row"].iloc[0]],
        unranked=list(unranked.index[unranked]),
    ).strip()
