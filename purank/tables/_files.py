"""From a file to cells: encoding, separator, header and length of rows; CSV and its relatives, Excel and Parquet."""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import lzma
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from pulib.datasets import open_stream
from pulib.utils import check_room
from purank.tables._findings import Finding, TableError, listed
from purank.tables._records import SEPARATORS, check_first, checked_header, read_records

_SAMPLE_LINES, _CHUNK = 200, 1 << 20
#: What reading a damaged compressed file ends with.
_BROKEN = (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error, zipfile.BadZipFile)
#: A cell takes about so many times its bytes in the file while it is read.
_BYTES_PER_BYTE = 6
_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, which begins alike
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
#: One of these is in a zip archive that is a spreadsheet: of Excel, of LibreOffice.
_SPREADSHEETS = ("[Content_Types].xml", "xl/workbook.xml", "content.xml")


@dataclass
class Cells:
    """The cells of a file as written, and where.

    Attributes
    ----------
    frame : DataFrame
        Texts, "" where a cell is empty; columns of a Parquet file or a spreadsheet that have a type keep it.
    lines : array of int
        The line of each row in the file; the row of a spreadsheet; else the number of the row.
    unit : str
        ``line`` or ``row``: what ``lines`` counts.
    form : str
        How the file was read.
    findings : list of Finding
    """

    frame: pd.DataFrame
    lines: np.ndarray
    unit: str
    form: str
    findings: list[Finding] = field(default_factory=list)


def read_cells(
    path: Path,
    *,
    expected: Sequence[str],
    encoding: str | None = None,
    separator: str | None = None,
    sheet: str | int | None = None,
    names: Sequence[str] | None = None,
    skip_lines: int = 0,
    dropped: Collection[str] = frozenset(),
) -> Cells:
    """All cells of a file; ``expected`` are columns that the header must have, which tells the separator.

    Cells of text in the columns ``dropped`` come back empty, however long they are.
    """
    with open(path, "rb") as file:
        head = file.read(8)
    if not head:
        raise TableError(f"{path} is empty; expected a header and rows")
    book = head.startswith(b"\xd0\xcf\x11\xe0") or (head.startswith(b"PK\x03\x04") and _is_book(path))
    if names and (book or head.startswith(b"PAR1")):
        raise TableError(f"names= is for text without a header; {path} is {'a spreadsheet' if book else 'a Parquet file'}")
    if head.startswith(b"PAR1"):
        return _read_parquet(path)
    if book:
        return _read_spreadsheet(path, sheet, skip_lines, expected)
    check_room(_BYTES_PER_BYTE * _size(path), f"{path}, once it is read,", "Use a sample of its rows.")
    findings: list[Finding] = []
    encoding = _encoding(path, encoding, findings)
    header_given = list(names) if names else None
    with _text(path, encoding) as lines:
        sample = [line for _, line in zip(range(skip_lines + _SAMPLE_LINES), lines, strict=False)][skip_lines:]
    if sample and sample[0].lower().startswith("sep=") and len(sample[0].strip()) == 5:  # a hint that Excel leaves
        separator, skip_lines, sample = separator or sample[0].strip()[4], skip_lines + 1, sample[1:]
    mark = _separator(sample, header_given or expected, separator)
    if header_given is None:
        check_first(path, sample, mark, expected, skip_lines)
    with _text(path, encoding) as lines:
        for _ in range(skip_lines):
            next(lines, "")
        frame, where = read_records(path, lines, mark, header_given, skip_lines, dropped)
    said = "white space" if mark == "whitespace" else SEPARATORS.get(mark, repr(mark))
    if mark != ",":
        message = f"the separator is a {said}" if mark != "whitespace" else "columns are separated by white space"
        findings.append(Finding("note", None, (mark,), (), message, "separator= says another"))
    shown = {"utf-8": "UTF-8", "utf-8-sig": "UTF-8"}.get(encoding, encoding)
    return Cells(frame, where, "line", f"text ({shown}, separator {said})", findings)


def _is_book(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return not {*_SPREADSHEETS}.isdisjoint(archive.namelist())
    except zipfile.BadZipFile:
        return False


def _size(path: Path) -> int:
    """Bytes of the text, decompressed."""
    try:
        with open_stream(path) as stream:
            if stream.seekable():
                return path.stat().st_size
            return sum(map(len, iter(lambda: stream.read(_CHUNK), b"")))
    except _BROKEN as error:
        raise TableError(f"{path} cannot be decompressed ({error})") from error


def _encoding(path: Path, wanted: str | None, findings: list[Finding]) -> str:
    """The encoding as it was given, else by the file's first bytes, else UTF-8 where it is, else Windows-1252."""
    with open_stream(path) as stream:
        head = stream.read(4000)
    if wanted is None:
        for mark, name in _BOMS.items():
            if head.startswith(mark):
                if name != "utf-8-sig":
                    findings.append(Finding("note", None, (name,), (), f"the file is {name.upper()}", "encoding= says another"))
                return name
        if head[1::2].count(0) > len(head) // 4 or head[::2].count(0) > len(head) // 4:
            name = "utf-16-le" if head[1::2].count(0) >= head[::2].count(0) else "utf-16-be"
            findings.append(Finding("note", None, (name,), (), "the file is UTF-16", "encoding= says another"))
            return name
    for name in [wanted] if wanted else ["utf-8", "cp1252"]:
        try:
            codecs.lookup(name)
        except LookupError:
            raise TableError(f"encoding={name!r} is unknown to Python; expected one such as utf-8 or cp1252") from None
        wrong = _undecodable(path, name)
        if wrong is None:
            if name == "cp1252" and not wanted:
                word, line = _first_beyond_ascii(path)
                message = f"the file is not UTF-8; read as Windows-1252 (Latin-1), for example {word!r} in line {line}"
                findings.append(Finding("note", None, (word,), (line,), message, "if that is wrong, pass encoding="))
            return name
        byte, line = wrong
    raise TableError(
        f"{path} cannot be read as {wanted or 'UTF-8 or Windows-1252'}: byte 0x{byte:02x} in line {line}",
        rows=[line],
        remedy="encoding= sets it, for example encoding='utf-16', 'mac_roman' or 'shift_jis'",
    )


def _undecodable(path: Path, encoding: str) -> tuple[int, int] | None:
    """The first byte that is none of an encoding's, and its line."""
    decoder, line = codecs.getincrementaldecoder(encoding)(), 1
    with open_stream(path) as stream:
        while chunk := stream.read(_CHUNK):
            try:
                text = decoder.decode(chunk)
            except UnicodeDecodeError as error:
                return error.object[error.start], line + error.object[: error.start].count(b"\n")
            line += text.count("\n")
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        return error.object[error.start], line
    return None


def _first_beyond_ascii(path: Path) -> tuple[str, int]:
    with _text(path, "cp1252") as lines:
        for number, line in enumerate(lines, 1):
            if not line.isascii():
                words = "".join(letter if letter.isalnum() else " " for letter in line).split()
                return next((word for word in words if not word.isascii()), line.strip()[:20]), number
    return "", 0


def _text(path: Path, encoding: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(open_stream(path), encoding=encoding, newline="")


def _separator(sample: list[str], expected: Sequence[str], wanted: str | None) -> str:
    """The separator with which the header has the columns that it must have; else the one that cuts rows alike."""
    if wanted is not None:
        return {"tab": "\t", "comma": ",", "semicolon": ";", "\\t": "\t"}.get(wanted, wanted)
    votes: dict[str, tuple[int, float, int]] = {}
    for mark in SEPARATORS:
        records = []
        with contextlib.suppress(csv.Error):  # reported with its line when all rows are read
            records = [record for record in csv.reader(sample, delimiter=mark, skipinitialspace=True) if record]
        if not records:
            continue
        width, count = Counter(map(len, records)).most_common(1)[0]
        found = len({name.strip().lstrip("\ufeff") for name in records[0]} & set(expected))
        votes[mark] = (found if len(records[0]) > 1 else 0, count / len(records) if width > 1 else 0.0, width)
    if not votes:
        return ","
    best = max(votes, key=votes.__getitem__)  # the first of equals: a comma
    if votes[best][1] == 0 and sample and len({len(line.split()) for line in sample if line.strip()} - {1}) == 1:
        return "whitespace"
    return best


def _read_parquet(path: Path) -> Cells:
    try:
        frame = pd.read_parquet(path)
        frame = frame.reset_index(drop=isinstance(frame.index, pd.RangeIndex))
    except (ValueError, OSError) as error:
        raise TableError(f"{path} looks like a Parquet file but cannot be read as one ({error})") from error
    if not len(frame):
        raise TableError(f"{path} has columns and no row")
    frame.columns = checked_header(path, list(frame.columns))
    return Cells(frame, np.arange(1, len(frame) + 1), "row", "Parquet")


def _read_spreadsheet(path: Path, sheet: str | int | None, skip_lines: int, expected: Sequence[str]) -> Cells:
    try:
        with pd.ExcelFile(path) as book:
            wanted = _sheet(path, book, sheet)
            raw = pd.read_excel(book, sheet_name=wanted, header=None, dtype=object, keep_default_na=False, na_filter=False)
    except ImportError as error:
        needed = found[1] if (found := re.search(r"'(\w+)'", str(error))) else "openpyxl"
        raise TableError(
            f"{path} is a spreadsheet; reading it needs {needed}, which is not installed",
            remedy=f"pip install {needed}, or save the sheet as CSV",
        ) from error
    except (ValueError, KeyError, OSError, zipfile.BadZipFile) as error:
        if isinstance(error, TableError):
            raise
        raise TableError(f"{path} looks like a spreadsheet but cannot be read as one ({error})") from error
    raw = raw.iloc[skip_lines:].map(lambda cell: cell.strip() if isinstance(cell, str) else cell)
    empty = raw.isna() | raw.eq("")
    full = np.flatnonzero(~empty.all(axis=1))
    if len(full) < 2:
        raise TableError(f"{path}: the sheet {wanted!r} has no header with rows below it")
    rows = [{str(cell) for cell in raw.iloc[place]} for place in full[:_SAMPLE_LINES]]
    header = next((place for place, row in zip(full, rows, strict=False) if set(expected) <= row), full[0])
    if header != full[0]:
        raise TableError(
            f"{path}: row {full[0] + skip_lines + 1} is not the header; the names of the columns seem to be in row"
            f" {header + skip_lines + 1}",
            rows=[full[0] + skip_lines + 1],
            remedy=f"skip_lines={header + skip_lines} begins there",
        )
    names = checked_header(path, [None if empty.iat[full[0], k] else raw.iat[full[0], k] for k in range(raw.shape[1])])
    frame = raw.iloc[full[1:]].reset_index(drop=True)
    frame.columns = names
    return Cells(frame, full[1:] + skip_lines + 1, "row", f"spreadsheet (sheet {wanted!r})")


def _sheet(path: Path, book: pd.ExcelFile, wanted: str | int | None) -> str:
    names = [str(name) for name in book.sheet_names]
    if wanted is None:
        filled = [name for name in names if pd.read_excel(book, sheet_name=name, header=None, nrows=2, dtype=object).size]
        if len(filled) != 1:
            raise TableError(
                f"{path} has {len(filled)} sheets that are not empty: {listed(map(repr, filled), 10)}",
                values=filled,
                remedy="sheet= selects one",
            )
        return filled[0]
    if isinstance(wanted, int) and 0 <= wanted < len(names):
        return names[wanted]
    if wanted not in names:
        raise TableError(f"{path} has no sheet {wanted!r}; there are {listed(map(repr, names), 10)}", values=names)
    return str(wanted)
