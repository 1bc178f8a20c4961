"""Comparison of archived trials with reruns of them, by metric and by cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pulab.tables.sheet import Grid
from pulab.trials.results import GROUP, KEY
from pulab.trials.tolerances import METRICS, tolerance_of

AGREEMENT_COLUMNS = [*GROUP, "metric", "repeats", "archived", "new", "largest_difference", "tolerance", "agrees"]
CELL_COLUMNS = ["study", "table", "row", "column", "unit", "published", "archived", "new", "agrees"]


def agreement(old: pd.DataFrame, new: pd.DataFrame, names: Mapping[tuple[str, ...], list[str]]) -> pd.DataFrame:
    """Compare archived and new numbers by group and metric: their means over common repeats, and whether every number agrees.

    Every new row with a number is compared.  ``names`` maps groups to the classes and loaders whose tolerance applies.
    ``agrees`` is ``yes``, ``no``, or the reason why there is nothing to compare.  A series counts as one metric and has no
    mean.
    """
    place = [*KEY, "metric", "step"]
    fresh = new[new["status"] == "ok"]
    pairs = fresh[[*place, "value"]].merge(
        old.loc[old["status"] == "ok", [*place, "value"]], on=place, how="left", indicator=True
    )
    rows = []
    for key, part in pairs.groupby([*GROUP, "metric"], sort=True):
        bound = max(tolerance_of(*names.get(key[:4], [])).trial, METRICS.get(key[4], 0.0))
        known = part[part["_merge"] == "both"]
        gap = _largest(known["value_x"].to_numpy(), known["value_y"].to_numpy())
        scalar = (part["step"] == -1).all()
        archived, ours = (float(known[name].mean()) if scalar and len(known) else np.nan for name in ("value_y", "value_x"))
        ours = float(part["value_x"].mean()) if scalar and not len(known) else ours
        answer = "not archived" if not len(known) else "yes" if gap <= bound else "no"
        rows.append([*key, part["repeat"].nunique(), archived, ours, gap, bound, answer])
    without = new[new["status"] != "ok"].drop_duplicates([*GROUP, "status"])
    for row in without.itertuples(index=False):
        key = [getattr(row, name) for name in GROUP]
        rows.append([*key, "", 0, np.nan, np.nan, np.nan, np.nan, f"{row.status}: {row.message}"])
    return pd.DataFrame(rows, columns=AGREEMENT_COLUMNS)


def _largest(a: np.ndarray, b: np.ndarray) -> float:
    """Return the largest difference, relative for numbers above 1; infinite if only one of two is a number."""
    if not len(a):
        return np.nan
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return np.inf
    same = (a == b) | np.isnan(a)
    gaps = np.abs(a[~same] - b[~same]) / np.maximum(1.0, np.abs(b[~same]))
    return float(gaps.max(initial=0.0))


def rerun_cells(scoreboard: pd.DataFrame, agreement: pd.DataFrame) -> pd.DataFrame:
    """Return one row per mean over repeats of the rerun trials that a table shows (in the scoreboard)."""
    means = scoreboard[scoreboard["kind"].isin(["performance", "fact"])] if len(scoreboard) else scoreboard
    if means.empty:
        return pd.DataFrame(columns=CELL_COLUMNS)
    found = pd.concat([_matched(part, agreement, blank) for blank, part in means.groupby(_blank(means), sort=False)])
    scaled = {side: found[side] * found["scale"] for side in ("archived", "new")}
    return found.assign(**scaled)[CELL_COLUMNS]


def _blank(cells: pd.DataFrame) -> pd.Series:
    """Return by cell the columns of its group that its table leaves empty, such as the only setting of a study."""
    return cells[GROUP].fillna("").eq("").apply(lambda row: " ".join(row.index[row]), axis=1)


def _matched(cells: pd.DataFrame, agreement: pd.DataFrame, blank: str) -> pd.DataFrame:
    keys = [name for name in [*GROUP, "metric"] if name not in blank.split()]
    return cells.merge(agreement[[*keys, "archived", "new", "agrees"]], on=keys)


def rerun_text(cells: pd.DataFrame, agreement: pd.DataFrame) -> str:
    """Format both as Markdown: cells first, then every metric."""
    right, wrong = (int((agreement["agrees"] == word).sum()) for word in ("yes", "no"))
    lines = [f"{right} metrics agree with the archived ones within the tolerance of their method, {wrong} do not."]
    lines = [nothing] if (nothing := nothing_compared(agreement)) else lines
    lines += [_grid(frame).markdown() for frame in (cells, agreement) if len(frame)]
    return "\n\n".join(lines) + "\n"


def nothing_compared(agreement: pd.DataFrame) -> str:
    """Return why no number was compared, as a sentence; empty if some were."""
    if agreement["agrees"].isin(["yes", "no"]).any():
        return ""
    reasons = dict.fromkeys(f"{row.dataset}: {row.agrees}" for row in agreement.itertuples(index=False))
    return f"Nothing was compared. {'; '.join(reasons) or 'No trial was run'}."


def _grid(frame: pd.DataFrame) -> Grid:
    def text(value: Any) -> Any:
        return f"{value:.6g}" if isinstance(value, float) and value == value else value

    return Grid.of(frame.columns, ([text(value) for value in row] for row in frame.itertuples(index=False)))
