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
from purank.tables._findings import SHOWN, TableError, listed

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
#: What begins a line of comments above a header.
_COMMENTS = ("#", "%", "//")
#: The limit of Python's reader is one for all threads.
_LIMIT_LOCK = threading.Lock()


def check_header(path: Path, rows: Sequence[list[str]], expected: Sequence[str], unit: str, before: int) -> None:
    """An error that names ``skip_lines`` where a later row holds the names that the header must have, or is no comment."""
    full = [place for place, row in enumerate(rows) if any(row)]
    if not full or set(expected) <= set(rows[full[0]]):
        return
    header = next((place for place in full if set(expected) <= set(rows[place])), None)
    if header is None:
        header = next((place for place in full if not rows[place][0].startswith(_COMMENTS)), full[0])
    if header != full[0]:
        first = [cell for cell in rows[full[0]] if cell]
        raise TableError(
            f"{path}: {unit} {before + full[0] + 1} is not the header, {listed(first)!r}; the names of the columns seem"
            f" to be in {unit} {before + header + 1}",
            values=first,
            rows=[before + full[0] + 1],
            remedy=f"skip_lines={before + header} begins there",
        )


def read_records(
    path: Path, lines: Sequence[str], mark: str, names: list[str] | None, before: int
) -> tuple[pd.DataFrame, np.ndarray]:
    """Return rows as columns of texts; a row longer or shorter than the header is an error."""
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
    names = [as_text(name).lstrip("\ufeff") for name in header]
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
    if not n_right and len({length for _, length in wrong}) == 1:
        remedy = "All rows are alike: does the header lack a name (of row numbers, say)? names= gives the names"
        if width == 1:
            remedy = "Is the first line a title? skip_lines= says how many lines there are before the header"
    rows = f"{len(wrong):,} rows do" if len(wrong) > 1 else "1 row does"
    raise TableError(
        f"{path}: {rows} not have as many cells as the header, {width}: {shown}",
        values=[str(length) for _, length in wrong[: 4 * SHOWN]],
        rows=[line for line, _ in wrong[: 4 * SHOWN]],
        remedy=remedy,
    )
