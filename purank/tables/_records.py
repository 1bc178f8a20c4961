"""Split lines of text into rows of cells: the header, row lengths, and quotation marks."""

from __future__ import annotations

import contextlib
import csv
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from purank.tables._columns import as_text
from purank.tables._findings import SHOWN, Finding, TableError, listed, shortened

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
#: What begins a line of comments above a header.
_COMMENTS = ("#", "%", "//")
#: The limit of Python's reader is one for all threads.
_LIMIT_LOCK = threading.Lock()


def find_header(path: Path, rows: Sequence[list[str]], expected: Sequence[str], unit: str) -> tuple[int, list[Finding]]:
    """The place of the row with the names that the header must have, below comments and titles, which a note shows."""
    full = [place for place, row in enumerate(rows) if any(row)]
    if not full:
        return 0, []
    header = next((place for place in full if set(expected) <= set(rows[place])), None)
    if header is None:  # which is an error that lists the names of the columns
        header = next((place for place in full if not "".join(rows[place]).startswith(_COMMENTS)), full[0])
    above = {place: [cell for cell in rows[place] if cell] for place in full if place < header}
    findings = []
    if above:
        shown = listed((f"{unit} {place + 1}, {shortened(listed(cells))!r}" for place, cells in above.items()), 3)
        message = f"the header is in {unit} {header + 1}; left out above it: {shown}"
        findings = [Finding("note", None, message, "the header is the first row with the columns that you name")]
    for place, cells in above.items():
        if len(cells) >= sum(map(bool, rows[header])) and not cells[0].startswith(_COMMENTS):
            raise TableError(
                f"{path}: {unit} {place + 1} seems to be a header, {listed(cells)!r}, but the names that you give are in"
                f" {unit} {header + 1}",
                values=cells,
                rows=[place + 1],
                remedy=f"Correct these names, or remove what is above {unit} {header + 1} from the file",
            )
    return header, findings


def read_records(
    path: Path, lines: Sequence[str], mark: str, before: int, names: list[str] | None
) -> tuple[pd.DataFrame, np.ndarray]:
    """Return rows as columns of texts; a row longer or shorter than the header, or the given names, is an error."""
    if len(mark) != 1 and mark != "whitespace":
        raise TableError(f"separator={mark!r}: expected one character, 'tab' or 'whitespace'")
    with _cells_of_any_length():
        records = [(before + line, record) for line, record in _split(path, lines, mark, before) if any(record)]
    if names is None:
        if not records:
            raise TableError(f"{path} has no header; expected one line with the names of the columns")
        names = checked_names(path, records.pop(0)[1])
    width = len(names)
    # trailing separators are not cells
    rows = [(line, record if any(record[width:]) else record[:width]) for line, record in records]
    wrong = [(line, len(row)) for line, row in rows if len(row) != width]
    if wrong:
        _raise_ragged(path, wrong, width, len(rows) - len(wrong))
    if not rows:
        raise TableError(f"{path} has a header but no rows")
    return pd.DataFrame([row for _, row in rows], columns=names, dtype=object), np.array([line for line, _ in rows])


@contextlib.contextmanager
def _cells_of_any_length() -> Iterator[None]:
    """Lift the field size limit of Python's reader, which applies to the whole process."""
    with _LIMIT_LOCK:
        before = csv.field_size_limit(2**31 - 1)  # the most that fits a C long everywhere
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _split(path: Path, lines: Sequence[str], mark: str, before: int) -> Iterator[tuple[int, list[str]]]:
    """Yield records without spaces around the cells, and each record's first line."""
    if mark == "whitespace":
        yield from ((number, line.split()) for number, line in enumerate(lines, 1))
        return
    reader, last, begins = csv.reader(lines, delimiter=mark, skipinitialspace=True), 1, 1
    try:
        for record in reader:
            yield begins, [cell.strip() for cell in record]
            last, begins = begins, reader.line_num + 1
    except csv.Error as error:
        raise _unreadable(path, begins + before, f"cannot be read ({error})") from None
    try:
        if begins - last > 1:
            list(csv.reader(lines[last - 1 :], delimiter=mark, skipinitialspace=True, strict=True))
    except csv.Error as error:
        if "end of data" in str(error):
            raise _unreadable(path, last + before, "takes in all lines below it") from None


def _unreadable(path: Path, line: int, problem: str) -> TableError:
    remedy = "A quotation mark that is not closed?"
    return TableError(f"{path}: the row that begins in line {line} {problem}", rows=[line], remedy=remedy)


def checked_names(path: Path, header: Sequence[Any]) -> list[str]:
    """Check that names are unique, without surrounding spaces; an unnamed column is named by its position."""
    names = [as_text(name) for name in header]
    names = [name or f"column {place}" for place, name in enumerate(names, 1)]
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        places = [place for place, name in enumerate(names, 1) if name == twice]
        raise TableError(
            f"{path}: {len(places)} columns are called {twice!r}, numbers {listed(places)} of {len(names)}; "
            "expected each name once",
            column=twice,
            values=[twice],
            remedy="Rename or remove one of them",
        )
    return names


def _raise_ragged(path: Path, wrong: list[tuple[int, int]], width: int, n_right: int) -> None:
    shown = listed(f"line {line} has {length}" for line, length in wrong)
    remedy = "A separator within a value, which needs quotation marks around it, or one that is missing?"
    if width == 1:
        remedy = "Is the first line a title? The header is the line with the label's name, as you give it"
    elif all(length == 1 for _, length in wrong):
        remedy = "Notes or rules below the header, which are no cases? Remove them from the file"
    elif not n_right and len({length for _, length in wrong}) == 1:
        remedy = (
            "All rows are alike: does the header lack a name (of row numbers, say)? names= gives those of a file without one"
        )
    rows = f"{len(wrong):,} rows do" if len(wrong) > 1 else "1 row does"
    raise TableError(
        f"{path}: {rows} not have as many cells as the header, {width}: {shown}",
        values=[str(length) for _, length in wrong[: 4 * SHOWN]],
        rows=[line for line, _ in wrong[: 4 * SHOWN]],
        remedy=remedy,
    )
