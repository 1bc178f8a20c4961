"""Leaders of the level field: the first rows of the leaderboard, who is level with the best, and further evidence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from pulab.reports.board import Leaders
from pulab.tables import read_cells
from pulab.tables.markup import Prose
from pulab.tables.sentences import text_of
from pulab.tables.sheet import Grid

#: Marks a mean rank that is not significantly behind the best one.
LEVEL = "•"
#: Number of learners on the first page of the report.
SHOWN = 8
#: Note on the best mean rank of a ranking.
CHANCE = "The lead may be chance: in more than a tenth of bootstrap samples of the tasks, another learner leads."


def leaders(folder: Path) -> Leaders | None:
    """Return the leaders in the rendered tables; None if too few tasks were run for ranks.

    The page blocks are ``podium`` (a table), ``front`` (the same in four columns) and ``standing`` (a text on what the ranking
    means).
    """
    overview, ranks = (read_cells(folder / f"table_{name}.csv") for name in ("overview", "ranks"))
    if "class" not in set(overview["column"]):
        return None
    words = standing(overview, ranks)
    blocks = {"podium": podium(overview).markdown(), "front": front(overview).markdown(), "standing": words}
    return Leaders("table_overview", podium(overview, SHOWN), overview["row"].nunique(), words, blocks)


def podium(cells: pd.DataFrame, n: int = 7) -> Grid:
    """Return the first ``n`` rows of the level field at a glance: accuracy and seconds first, the longest column last."""
    table = _glance(cells, n)
    table = table[sorted(table.columns, key=lambda name: (name == "class", name.startswith("rank")))]
    rows = [
        [name, *(Prose(f"`{text}`") if column == "class" else text for column, text in zip(table.columns, own, strict=True))]
        for name, *own in table.itertuples()
    ]
    return Grid.of(["learner", *table.columns], rows)


def front(cells: pd.DataFrame, n: int = 5) -> Grid:
    """Return the same for the front page: the mean of the ranks, points behind the highest accuracy, and seconds."""
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
    """Return by learner whether the marks of its ranks say that it is not significantly behind the best in any ranking."""
    ranked = _rankings(overview)
    return ranked["mark"].str.endswith(LEVEL).groupby(ranked["row"], sort=False).all()


def may_be_chance(places: pd.DataFrame, least: float = 0.9) -> bool:
    """Return whether the learner with the best mean rank remains the best in fewer than ``least`` of 10,000 bootstrap samples.

    Parameters
    ----------
    places : DataFrame
        Ranks, tasks by learners.  Tasks are resampled.
    """
    draws = np.random.default_rng(0).multinomial(len(places), np.full(len(places), 1 / len(places)), 10_000)
    first = (draws @ places.to_numpy()).argmin(axis=1) == int(places.mean().argmin())
    return bool(first.mean() < least)


def standing(overview: pd.DataFrame, ranks: pd.DataFrame) -> str:
    """Describe which learners have the best mean ranks, which are never significantly behind, and further evidence.

    Parameters
    ----------
    overview, ranks : DataFrame
        Cells of the level field at a glance, and of its ranks, with a row for every learner.
    """
    ranked = _rankings(overview)
    leads: dict[str, list[str]] = {}
    for name, own in ranked.groupby("column", sort=False):
        leads.setdefault(own["row"].iloc[own["ours"].astype(float).argmin()], []).append(name.removeprefix("rank by "))
    leaders = sorted(leads.items(), key=lambda lead: -len(lead[1]))
    level = never_behind(overview)
    means = ranks[ranks["column"].str.startswith("mean rank")]
    unranked = means["mark"].eq("").groupby(means["row"], sort=False).all()  # a ceiling or a trivial classifier has a dash
    gained = pd.to_numeric(overview.loc[overview["column"].str.startswith("gained with the true π"), "ours"])
    new = ranks[ranks["column"].str.startswith("rank on new tasks") & ranks["ours"].notna()]
    first_there = new.astype({"ours": float}).sort_values("ours", kind="stable").drop_duplicates("column")
    ahead = first_there["row"].value_counts()
    return text_of(
        Path(__file__).parent / "templates" / "standing.md.jinja",
        leaders=leaders,
        rankings=ranked["column"].nunique(),
        ranked=ranked["row"].nunique(),
        doubtful=[name.removeprefix("rank by ") for name in ranked.loc[ranked["note"].eq(CHANCE), "column"]],
        level=[name for name in level.index[level] if name not in leads],
        cost=gained.mean(),
        new_tasks=int(first_there["tasks"].astype(float).max()) if len(first_there) else 0,
        ahead=ahead.index[0] if len(ahead) else "",
        times_ahead=int(ahead.iloc[0]) if len(ahead) else 0,
        new_rankings=len(first_there),
        unranked=list(unranked.index[unranked]),
    ).strip()
