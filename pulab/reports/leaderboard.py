"""The level field's leaderboard for pages of text: the first rows, who is level with the best, and what else bears on it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from pulab.tables import read_cells
from pulab.tables.markup import Prose
from pulab.tables.sentences import text_of
from pulab.tables.sheet import Grid

#: Behind a mean rank whose learner is not significantly behind the best one.
LEVEL = "•"


def leaderboard(folder: Path) -> dict[str, str]:
    """The blocks ``podium`` (a table), ``front`` (the same in four columns) and ``standing`` (what it does and does not say).

    Parameters
    ----------
    folder : Path
        With the level field's rendered tables.
    """
    overview, ranks, tasks = (read_cells(folder / f"table_{name}.csv") for name in ("overview", "ranks", "tasks"))
    words = standing(overview, ranks, by_chance(overview, tasks))
    return {"podium": podium(overview).markdown(), "front": front(overview).markdown(), "standing": words}


def podium(cells: pd.DataFrame, n: int = 7) -> Grid:
    """The first ``n`` rows of the level field at a glance: accuracy and seconds first, the longest column last."""
    table = _glance(cells, n)
    table = table[sorted(table.columns, key=lambda name: (name == "class", name.startswith("rank")))]
    rows = [
        [name, *(Prose(f"`{text}`") if column == "class" else text for column, text in zip(table.columns, own, strict=True))]
        for name, *own in table.itertuples()
    ]
    return Grid.of(["learner", *table.columns], rows)


def front(cells: pd.DataFrame, n: int = 5) -> Grid:
    """The same for the front page: the mean of the ranks, points behind the first, and seconds."""
    table, level = _glance(cells, n), never_behind(cells)
    means = _rankings(cells).astype({"ours": float}).groupby("row", sort=False)["ours"].mean()
    rows = [
        [name, f"{means[name]:.1f}{f' {LEVEL}' if level[name] else ''}", own["points behind"], own["seconds"]]
        for name, own in table.to_dict("index").items()
    ]
    return Grid.of(["learner", "mean rank", "points behind", "seconds"], rows)


def _glance(cells: pd.DataFrame, n: int) -> pd.DataFrame:
    table = cells.pivot(index="row", columns="column", values="mark")
    return table.loc[cells["row"].drop_duplicates().head(n), cells["column"].drop_duplicates()]


def _rankings(overview: pd.DataFrame) -> pd.DataFrame:
    return overview[overview["column"].str.startswith("rank")]


def never_behind(overview: pd.DataFrame) -> pd.Series:
    """By learner whether it is not significantly behind the best in any ranking, by the marks of its ranks."""
    ranked = _rankings(overview)
    return ranked["mark"].str.endswith(LEVEL).groupby(ranked["row"], sort=False).all()


def by_chance(overview: pd.DataFrame, tasks: pd.DataFrame) -> list[str]:
    """The rankings whose lead may be chance (:func:`may_be_chance`).

    Parameters
    ----------
    overview, tasks : DataFrame
        Cells of the level field at a glance, and of its tasks; a learner without a number is last on a task.
    """
    doubtful = []
    for (setting, metric), own in _rankings(overview).groupby(["setting", "metric"], sort=False):
        here = tasks[(tasks["setting"] == setting) & (tasks["metric"] == metric) & tasks["method"].isin(own["method"])]
        scores = here.pivot(index="dataset", columns="method", values="ours")
        if len(scores) > 1 and may_be_chance(scores.rank(axis="columns", ascending=False, na_option="bottom")):
            doubtful.append(str(own["column"].iloc[0]).removeprefix("rank by "))
    return doubtful


def may_be_chance(places: pd.DataFrame, least: float = 0.9) -> bool:
    """Whether the learner with the best mean rank stays the best in fewer than ``least`` of 10,000 bootstrap samples.

    Parameters
    ----------
    places : DataFrame
        Ranks, tasks by learners.  Tasks are drawn.
    """
    draws = np.random.default_rng(0).multinomial(len(places), np.full(len(places), 1 / len(places)), 10_000)
    first = (draws @ places.to_numpy()).argmin(axis=1) == int(places.mean().argmin())
    return bool(first.mean() < least)


def standing(overview: pd.DataFrame, ranks: pd.DataFrame, doubtful: Sequence[str] = ()) -> str:
    """Who has the best mean ranks, who is not significantly behind in any ranking, and what else bears on it.

    Parameters
    ----------
    overview, ranks : DataFrame
        Cells of the level field at a glance, and of its ranks, which have a row for every learner.
    doubtful : sequence of str
        The rankings whose lead may be chance.
    """
    ranked = _rankings(overview)
    learners = ranked.groupby("row", sort=False)
    first = learners.get_group(ranked["row"].iloc[0])
    level = never_behind(overview)
    means = ranks[ranks["column"].str.startswith("mean rank")]
    unranked = means["mark"].eq("").groupby(means["row"], sort=False).all()  # a ceiling or a trivial classifier has a dash
    accuracy, with_true = (
        overview[overview["column"] == name].set_index("row")["ours"].astype(float)
        for name in ("accuracy, %", "with the true π, %")
    )
    new = ranks[ranks["column"].str.startswith("rank on new tasks") & ranks["ours"].notna()]
    leads = new.astype({"ours": float}).sort_values("ours", kind="stable").drop_duplicates("column")
    ahead = leads["row"].value_counts()
    return text_of(
        "standing.md",
        first=first["row"].iloc[0],
        best=int(first["ours"].eq(first["low"]).sum()),
        rankings=len(first),
        ranked=len(learners),
        doubtful=list(doubtful),
        level=[name for name in level.index[level] if name != first["row"].iloc[0]],
        cost=(with_true - accuracy).mean(),
        new_tasks=int(leads["tasks"].astype(float).max()) if len(leads) else 0,
        ahead=ahead.index[0] if len(ahead) else "",
        times_ahead=int(ahead.iloc[0]) if len(ahead) else 0,
        new_rankings=len(leads),
        unranked=list(unranked.index[unranked]),
    ).strip()
