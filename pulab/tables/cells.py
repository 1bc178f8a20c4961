"""Tables that compare means over repeats with published ones, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from pulab.plan.experiment import hint
from pulab.tables.record import cells_of
from pulab.tables.results import Paper, Results, Table


@dataclass(frozen=True)
class Place:
    """A row or a column of a table.

    Attributes
    ----------
    label : str
        As in the published file, unless ``published`` is given.
    select : mapping
        Columns of the tidy results with their required values, including ``metric`` where it differs from the table's.
    published : str
        Label of the published row or column to compare with, if different.
    reading : {"main", "other", "before"}
        Which interpretation of a published row or column this is (:data:`pulab.plan.study.Reading`).
    scale : float
        Additional factor for a column.
    decimals : int, optional
        Of a column, if different from the table's.
    rows : sequence of str
        Rows in which a column has cells; all by default.
    """

    label: str
    select: Mapping[str, Any] = field(default_factory=dict)
    published: str = ""
    reading: str = "main"
    scale: float = 1.0
    decimals: int | None = None
    rows: Sequence[str] = ()

    @property
    def known_as(self) -> str:
        """The label in the published file."""
        return self.published or self.label


def place(
    label: str, *, published: str = "", reading: str = "main", scale: float = 1.0, decimals: int | None = None,
    rows: Sequence[str] = (), **select: Any,
) -> Place:  # fmt: skip
    """Make a row or column that selects trials: ``place("MNIST", dataset="mnist")``."""
    return Place(label, select, published, reading, scale, decimals, rows)


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
    """Compare means over repeats with those of a published table, by row and column.

    Parameters
    ----------
    results : Results
    paper : Paper
    table : str
        Name of the published table.
    rows, columns : sequences of Place
    metric : str
        Averaged over repeats, unless a row or column selects another metric.
    scale : float
        Factor that converts our values to the published unit.
    decimals, n_published : int
    timed : bool
        Whether cells are times in seconds.
    **select
        Selection for all cells, unless a row or column overrides it: ``setting="standard"``.

    Returns
    -------
    table : Table
        ``ours_sd`` has ``ddof=1``; ``status`` is ``ok``, ``failed``, ``unavailable``, ``pending`` or ``not run``, with the
        reason in ``note``.

    Raises
    ------
    StudyError
        If the paper has no such table.
    """
    tidy = results.tidy
    if timed:  # include trials that have a recorded reason instead of a time
        tidy = pd.concat([results.timings.assign(status="ok", step=-1), tidy[tidy["status"] != "ok"]], ignore_index=True)
    theirs = paper.table(table) if results.shown.published else paper.cells[paper.cells["table"] == table]
    printed = {(row, column): numbers for row, column, *numbers in _published_values(theirs)}
    printed_table = table if len(theirs) else ""
    nothing = [np.nan, np.nan, "", np.nan, np.nan]
    own = {name for place in (*rows, *columns) for name in place.select}
    measured = set(tidy["metric"])
    shared = selected(tidy, {name: value for name, value in select.items() if name not in own})
    cells = []
    for row, column in product(rows, columns):
        if column.rows and row.label not in column.rows:
            continue
        wanted = {"metric": metric, **select, **row.select, **column.select}
        stand_in = results.stand_ins.get(wanted.get("dataset", ""), "")
        if stand_in:
            wanted["dataset"] = stand_in
        ours = _ours(shared, wanted, "seconds" if timed else "value", scale * column.scale)
        if ours["status"] == "not run" and wanted["metric"] not in measured and _ran(shared, wanted):
            ours["note"] = f"no trial measures {wanted['metric']!r}{hint(wanted['metric'], measured)}"
        mean, sd, unit, low, high = printed.get((row.known_as, column.known_as), nothing)
        cells.append(
            {"row": row.label, "column": column.label, "published": mean, "published_sd": sd, "unit": unit}
            | {"published_low": low, "published_high": high, "stand_in": stand_in}
            | {"reading": next((r for r in ("other", "before") if r in (row.reading, column.reading)), "main")}
            | {"printed": printed_place(printed_table, row.known_as, column.known_as), "scale": scale * column.scale}
            | {name: wanted.get(name, "") for name in ("dataset", "setting", "method", "metric")}
            | ours
        )
    return Table(
        cells_of(cells),
        decimals={column.label: decimals if column.decimals is None else column.decimals for column in columns},
        caption=_with_machines(results, tidy, rows, select) if timed else None,
        kind="time" if timed else "performance",
        n_published=n_published,
    )


def _with_machines(results: Results, tidy: pd.DataFrame, rows: Sequence[Place], select: Mapping[str, Any]) -> str:
    """Return the caption with the machines on which times were measured."""
    caption = results.shown.caption
    if not (tidy["status"] == "ok").any():
        return caption
    settings = [row.select["setting"] for row in rows if "setting" in row.select]
    shown = selected(tidy, select)
    shown = shown[(shown["status"] == "ok") & (shown["setting"].isin(settings) | (not settings))]
    return f"{caption} Ours: {'; '.join(sorted(set(shown['machine'])))}.".strip()


def printed_place(table: str, row: str, column: str) -> str:
    """Return the place of a published number; all interpretations of a cell share it.

    >>> printed_place("2.2", "cancer", "BAG")
    '2.2: cancer / BAG'
    """
    return f"{table}: {row} / {column}"


def _published_values(published: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    frame = published.reindex(columns=["row", "column", "mean", "sd", "unit", "low", "high"])
    # for a mean's interval, some papers publish only the ends
    frame["mean"] = frame["mean"].fillna((frame["low"] + frame["high"]) / 2.0)
    frame["unit"] = frame["unit"].fillna("")
    return frame[["row", "column", "mean", "sd", "unit", "low", "high"]].itertuples(index=False, name=None)


def selected(results: pd.DataFrame, select: Mapping[str, Any]) -> pd.DataFrame:
    """Select the rows with these values, ignoring ``metric``, which trials without numbers lack."""
    for name, wanted in select.items():
        if name != "metric":
            results = results[results[name] == wanted]
    return results


def _ran(results: pd.DataFrame, select: Mapping[str, Any]) -> bool:
    """Return whether any trial of a cell has numbers."""
    return bool((selected(results, select)["status"] == "ok").any())


def _ours(results: pd.DataFrame, select: Mapping[str, Any], value: str, scale: float) -> dict[str, Any]:
    chosen = selected(results, select)
    if len(chosen) and not (chosen["status"] == "ok").any():
        first = chosen.iloc[0]
        return _empty(first["status"], first["message"])
    failed = chosen[chosen["status"] != "ok"]
    chosen = chosen[(chosen["status"] == "ok") & (chosen["step"] == -1)]
    chosen = chosen[chosen["metric"] == select["metric"]]
    if not len(chosen):
        return _empty("not run", "not part of this run")
    values = chosen[value].to_numpy() * scale
    notes = [f"{len(failed)} of {len(failed) + len(values)} repeats {failed['status'].iloc[0]}"] if len(failed) else []
    places = chosen["message"].value_counts() if "message" in chosen.columns else {}
    if "run here" in places and "archived" in places:  # :func:`pulab.trials.store.collect`
        notes.append(f"{places['archived']} archived, {places['run here']} run here")
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else np.nan
    return {"ours": float(np.mean(values)), "ours_sd": spread, "n": len(values), "status": "ok", "note": "; ".join(notes)}


def _empty(status: str, note: str) -> dict[str, Any]:
    return {"ours": np.nan, "ours_sd": np.nan, "n": 0, "status": status, "note": note}
