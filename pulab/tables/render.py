"""Render tables of cells as CSV (one row per cell) and as readable sheets (rows by columns)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from pulab.tables.markup import markdown
from pulab.tables.numerals import shortened
from pulab.tables.record import Record, cell_key, records, write_cells
from pulab.tables.results import Answers, Paths, Results, Table
from pulab.tables.sheet import Entry, Grid, Sheet
from pulab.tables.verdict import SIGNS, VERDICTS, add_verdicts

# digits after the decimal point, for all columns or by column label
Decimals = int | Mapping[str, int]
#: Explanation of the verdict signs, shown once below a table.
SIGNS_EXPLAINED = (
    "Signs give the verdict, followed by the difference in points: "
    + ", ".join(f"{SIGNS[word]} {word}" for word in VERDICTS)
    + "."
)


def sheet_of(
    cells: pd.DataFrame, *, title: str, caption: str = "", decimals: Decimals = 2, legend: str = "", remarks: Sequence[str] = ()
) -> Sheet:
    """Arrange cells by row and column, with notes below: remarks, causes, fewer repeats, and the cells' own notes.

    See :class:`~pulab.tables.results.Table` for ``decimals``, ``legend`` and ``remarks``.
    """
    shown = records(cells)
    rows, columns = (list(dict.fromkeys(cells[side])) for side in ("row", "column"))
    by_place = {(record.row, record.column): record for record in shown}
    stand_ins = {record.row: record.stand_in for record in shown if record.stand_in}
    lines = []
    for i, row in enumerate(rows):
        label = f"{row} (stand-in: {stand_ins[row]})" if row in stand_ins else row
        digits = [decimals if isinstance(decimals, int) else decimals[column] for column in columns]
        own = [_entry(by_place.get((row, column)), digits[j], i, j) for j, column in enumerate(columns)]
        lines.append([Entry(str(label)), *own])
    return Sheet(
        title=title,
        caption=caption,
        grids=[Grid(["", *map(str, columns)], lines, dense=True)],
        legend=legend_of(cells, legend),
        notes=[*remarks, *_causes(shown), *fewer_repeats(cells), *_footnotes(shown)],
    )


def _entry(record: Record | None, decimals: int, i: int, j: int) -> Entry:
    if record is None:
        return Entry()
    key = cell_key(record.study, record.table, i, j) if record.verdict else ""  # links to details in the report
    return Entry(record.text(decimals), record.published_text(decimals), record.sign, key)


def _causes(shown: Sequence[Record]) -> list[str]:
    """List each cause once with the cells it explains."""
    places: dict[tuple[str, str], list[str]] = {}
    for record in shown:
        if record.verdict in VERDICTS[1:]:
            places.setdefault((record.cause, record.why), []).append(f"{markdown(record.place)} {record.sign}")
    named = {(cause, why): f"{cause}: {why}" if cause else "not reproduced" for cause, why in places}
    return [f"{named[reason]} ({shortened(explained)})" for reason, explained in places.items()]


def _footnotes(shown: Sequence[Record]) -> list[str]:
    notes: dict[str, list[str]] = {}
    for record in shown:
        if record.note:
            note = record.note if record.status == "ok" else f"{record.status}: {record.note}"
            notes.setdefault(markdown(note), []).append(markdown(record.place))
    return [f"{note} ({shortened(places)})" for note, places in notes.items()]


def fewer_repeats(cells: pd.DataFrame) -> list[str]:
    """List, by number of repeats, the cells with fewer repeats than others in both their row and their column."""
    done = cells[cells["status"] == "ok"]
    of_row, of_column = (done.groupby(side)["n"].transform("max") for side in ("row", "column"))
    fewer = done[(done["n"] < of_row) & (done["n"] < of_column)]
    fewer = fewer.assign(place=fewer["row"].astype(str) + " / " + fewer["column"].astype(str))
    return [
        f"only {int(n)} repeat{'s' if n > 1 else ''} ({shortened(map(markdown, places))})"
        for n, places in fewer.groupby("n")["place"]
    ]


def _repeats(cells: pd.DataFrame) -> str:
    counts = sorted({int(n) for n in cells.loc[cells["status"] == "ok", "n"]})
    if not counts:
        return "no repeats run"
    span = "–".join(str(n) for n in dict.fromkeys((counts[0], counts[-1])))
    return f"{span} repeat{'' if counts[-1] == 1 else 's'}"


def legend_of(cells: pd.DataFrame, legend: str = "") -> str:
    """Explain how to read the cells; ``legend`` replaces the usual sentence about means and spreads."""
    first = legend.format(repeats=_repeats(cells)) if legend else f"Ours, mean (sd) over {_repeats(cells)}"
    first += ", then the paper's in italics." if not legend else ""
    judged = "verdict" in cells and cells["verdict"].isin(VERDICTS).any()
    return f"{first} {SIGNS_EXPLAINED}" if judged else first


def write_study_table(results: Results, table: Table | Answers, paths: Paths) -> None:
    """Judge a table's cells and write them, or write the answers in its place."""
    shown, name = results.shown, results.name
    if isinstance(table, Answers):
        table.rows.to_csv(paths["csv"], index=False)
        Sheet(title=shown.title, lists={table.questions[key]: lines for key, lines in table.lists().items()}).write(paths)
        return
    cells = table.cells.assign(study=results.study.name, table=name)
    if table.judged:
        cells = add_verdicts(
            cells,
            kind=shown.cells or table.kind,
            reading=shown.reading,
            n_published=table.n_published,
            points=shown.points,
            causes=results.study.causes,
            neutral=results.preset == "quick",
        )
    write_cells(cells, paths["csv"])
    sheet = sheet_of(
        cells,
        title=shown.title,
        caption=shown.caption if table.caption is None else table.caption,
        decimals=table.decimals,
        legend=table.legend,
        remarks=table.remarks,
    )
    sheet.write(paths, f"{results.study.name}-{name}")
