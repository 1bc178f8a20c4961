"""From lines of text to rows of cells: the header, the length of rows and of cells, and quotation marks."""

from __future__ import annotations

import contextlib
import csv
import itertools
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from purank.tables._findings import SHOWN, TableError, listed

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
#: Rows that become columns at a time.
_BLOCK = 20_000
#: Characters that a cell may have: more are a quotation mark that is not closed, or a document that is no cell.
LONGEST_CELL = 2**24
#: What begins a line of comments above a header.
_COMMENTS = ("#", "%", "//")
#: The limit of Python's reader is one for all threads.
_LIMIT_LOCK = threading.Lock()


def check_first(path: Path, sample: list[str], mark: str, expected: Sequence[str], before: int) -> None:
    """An error that names ``skip_lines`` where a later line holds the names that the header must have, or is no comment."""
    rows = [_names_in(line, mark) for line in sample]
    first = next((place for place, row in enumerate(rows) if row), 0)
    if not sample or set(expected) <= set(rows[first]):
        return
    others = [mark, *(other for other in SEPARATORS if other != mark)]
    header = next(
        (place for place, line in enumerate(sample) if any(set(expected) <= set(_names_in(line, one)) for one in others)), None
    )
    if header is None and rows[first] and rows[first][0].startswith(_COMMENTS):
        header = next((k for k, line in enumerate(sample) if line.strip() and not line.lstrip().startswith(_COMMENTS)), None)
    if header is None or header == first:
        return
    raise TableError(
        f"{path}: line {before + first + 1} is not the header, {sample[first].strip()[:60]!r}; the names of the columns seem to"
        f" be in line {before + header + 1}, {sample[header].strip()[:60]!r}",
        values=[sample[first].strip()],
        rows=[before + first + 1],
        remedy=f"skip_lines={before + header} begins there",
    )


def _names_in(line: str, mark: str) -> list[str]:
    """The cells of a line without spaces around them; none if it is empty or cannot be read."""
    cells = line.split() if mark == "whitespace" else []
    if len(mark) == 1:
        with contextlib.suppress(csv.Error):
            cells = next(csv.reader([line], delimiter=mark, skipinitialspace=True), [])
    names = [cell.strip().lstrip("\ufeff") for cell in cells]
    return names if any(names) else []


def read_records(
    path: Path, lines: Iterable[str], mark: str, names: list[str] | None, before: int, dropped: Collection[str]
) -> tuple[pd.DataFrame, np.ndarray]:
    """Rows as columns of texts; a row that is longer or shorter than the header ends the reading."""
    records = _split(path, lines, mark, before)
    if names is None:
        _, header, _ = next(records, (0, [], 0))
        if not header:
            raise TableError(f"{path} has no header; expected one line with the names of the columns")
        names = checked_header(path, header)
    out = [place for place, name in enumerate(names) if name in dropped]
    where: list[int] = []
    blocks: list[pd.DataFrame] = []
    block: list[list[str]] = []
    wrong: list[tuple[int, int]] = []
    for line, record, size in records:
        if len(record) > len(names) and not any(cell.strip() for cell in record[len(names) :]):
            record = record[: len(names)]  # separators at the end of a line
        if len(record) != len(names):
            wrong.append((line + before, len(record)))
            continue
        if not any(record):
            continue
        for place in out:
            record[place] = ""
        if size > LONGEST_CELL:
            _check_lengths(path, line + before, record, names)
        where.append(line + before)
        block.append(record)
        if len(block) == _BLOCK:
            blocks.append(_columns(block, names))
            block = []
    if wrong:
        _raise_ragged(path, wrong, len(names), len(where))
    blocks.append(_columns(block, names))
    if not where:
        raise TableError(f"{path} has a header but no rows")
    return pd.concat(blocks, ignore_index=True), np.array(where)


def _check_lengths(path: Path, line: int, record: list[str], names: list[str]) -> None:
    longest = max(record, key=len)
    if len(longest) > LONGEST_CELL:
        name = names[record.index(longest)]
        raise TableError(
            f"{path}: column {name!r} has a cell of {len(longest):,} characters in the row that begins in line {line}; expected"
            f" {LONGEST_CELL:,} at most",
            column=name,
            values=[longest[:60]],
            rows=[line],
            remedy=f"A quotation mark that is not closed? drop=[{name!r}] leaves the column out",
        )


@contextlib.contextmanager
def _long_cells() -> Iterator[None]:
    """Cells of any length for Python's reader, whose limit is one for the whole process, while a record is read."""
    with _LIMIT_LOCK:
        before = csv.field_size_limit(2**31 - 1)  # the most that fits a C long everywhere
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _split(path: Path, lines: Iterable[str], mark: str, before: int = 0) -> Iterator[tuple[int, list[str], int]]:
    """Records with the line that each begins in and their characters; empty lines are passed over."""
    if mark == "whitespace":
        for number, line in enumerate(lines, 1):
            if record := line.split():
                yield number, record, len(line)
        return
    if len(mark) != 1:
        raise TableError(f"separator={mark!r}: expected one character, 'tab' or 'whitespace'")
    raw: list[str] = []

    def kept() -> Iterator[str]:
        for line in lines:
            raw.append(line)
            yield line

    reader = csv.reader(kept(), delimiter=mark, skipinitialspace=True)
    begins, last = 1, (1, [""])
    try:
        while True:
            with _long_cells():
                block = []
                for record in itertools.islice(reader, _BLOCK // 10):
                    block.append((begins, record, sum(map(len, raw))))
                    begins, last = reader.line_num + 1, (begins, raw[:])
                    raw.clear()
            if not block:
                break
            for line, record, size in block:
                if len(record) > 1 or (record and record[0].strip()):
                    yield line, [cell.strip() for cell in record], size
    except csv.Error as error:
        raise _unreadable(path, begins + before, f"cannot be read ({error})") from None
    if len(last[1]) > 1 and _never_closed(last[1], mark):
        raise _unreadable(path, last[0] + before, "takes in all lines below it")


def _never_closed(lines: list[str], mark: str) -> bool:
    """Whether the last record ends within quotation marks."""
    with _long_cells():
        try:
            list(csv.reader(lines, delimiter=mark, skipinitialspace=True, strict=True))
        except csv.Error as error:
            return "end of data" in str(error)
    return False


def _unreadable(path: Path, line: int, problem: str) -> TableError:
    remedy = "A quotation mark that is not closed?"
    return TableError(f"{path}: the row that begins in line {line} {problem}", rows=[line], remedy=remedy)


def _columns(block: list[list[str]], names: list[str]) -> pd.DataFrame:
    cells: list[Any] = list(zip(*block, strict=True)) or [() for _ in names]
    return pd.DataFrame({name: np.array(column, dtype=object) for name, column in zip(names, cells, strict=True)}, dtype=object)


def checked_header(path: Path, header: Sequence[Any]) -> list[str]:
    """Names without spaces around them, each once; a column without a name is called by its place."""
    names = ["" if name is None else str(name).strip().lstrip("\ufeff") for name in header]
    names = [name or f"column {place}" for place, name in enumerate(names, 1)]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        places = [place for place, name in enumerate(names, 1) if name == twice[0]]
        raise TableError(
            f"{path}: {len(places)} columns are called {twice[0]!r}, the {listed(map(_ordinal, places))} of {len(names)}; "
            "expected each name once",
            column=twice[0],
            values=twice,
            remedy="Rename or remove one of them",
        )
    return names


def _ordinal(place: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th") if place % 100 not in (11, 12, 13) else "th"
    return f"{place}{ending}"


def _raise_ragged(path: Path, wrong: list[tuple[int, int]], width: int, n_right: int) -> None:
    lengths = {length for _, length in wrong}
    shown = listed(f"line {line} has {length}" for line, length in wrong)
    remedy = "A separator within a value, which needs quotation marks around it, or one that is missing?"
    if not n_right and len(lengths) == 1:
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
