"""What the report says of a cell when it is opened: its record, its repeats, and the command that runs them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from pulab.reports.site import artifact_name
from pulab.tables import read_scoreboard
from pulab.tables.record import Record, cell_key, printed_results
from pulab.tables.verdict import CAUSES
from pulab.trials import results

_GROUP = ["dataset", "setting", "method", "metric"]


def named_cells(scoreboard: Path, studies: Sequence[str]) -> pd.DataFrame:
    """All cells of all tables, each with its name in the pages (``key``), and whether the headline counts it (``counted``)."""
    cells = read_scoreboard(scoreboard)
    cells = cells[cells["study"].isin(list(studies))].reset_index(drop=True)
    by_table = cells.groupby(["study", "table"], sort=False)
    numbers = [by_table[side].transform(lambda labels: pd.factorize(labels)[0]) for side in ("row", "column")]
    cells["key"] = [cell_key(*place) for place in zip(cells["study"], cells["table"], *numbers, strict=True)]
    cells["counted"] = cells.index.isin(printed_results(cells).index)
    return cells


def repeats_of(cells: pd.DataFrame, tidy: Path) -> dict[tuple[str, ...], list[float]]:
    """The values of all repeats, by data set, setting, method and metric, for the cells that are about one of each."""
    wanted = cells.loc[(cells[_GROUP] != "").all(axis=1), _GROUP].drop_duplicates()
    rows = results.read(tidy)
    rows = rows[(rows["status"] == "ok") & (rows["step"] == -1) & rows["method"].isin(wanted["method"])]
    rows = rows.astype(dict.fromkeys(_GROUP, str)).merge(wanted.astype(str), on=_GROUP).sort_values("repeat")
    return {key: values.tolist() for key, values in rows.groupby(_GROUP)["value"]}


def details(cells: pd.DataFrame, tidy: Path) -> dict[str, dict[str, Any]]:
    """By the name of a cell, what is said of it."""
    values = repeats_of(cells, tidy)
    return {cell["key"]: _detail(Record.of(cell), bool(cell["counted"]), values) for cell in cells.to_dict("records")}


def _detail(record: Record, counted: bool, values: Mapping[tuple[str, ...], list[float]]) -> dict[str, Any]:
    own = values.get((record.dataset, record.setting, record.method, record.metric), [])
    plain = ("study", "place", "verdict", "why", "note", "dataset", "setting", "method", "metric", "seeds", "choice")
    shown = {name: getattr(record, name) for name in plain} | {
        "table": artifact_name(record.table)[0],
        "reading": "" if record.reading == "main" else record.reading,
        "counted": int(counted),
        "n": int(record.n),
        "by": _rounded(record.difference),
        "se": _rounded(record.se),
        "cause": f"{record.cause}: {CAUSES[record.cause]}" if record.cause in CAUSES else record.cause,
        "values": [float(f"{record.scale * value:.4g}") for value in own],
    }
    return {key: value for key, value in shown.items() if value not in ("", None, [], 0)}


def _rounded(value: float) -> float | None:
    return None if pd.isna(value) else round(value, 3)
