"""Read the cells of a file: CSV and similar text in any encoding or compression, Excel, and Parquet."""

from __future__ import annotations

import codecs
import csv
import io
import lzma
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from pulib.datasets import open_stream
from pulib.utils import check_room
from purank.tables._columns import as_text
from purank.tables._findings import Finding, TableError, listed
from purank.tables._options import Reading
from purank.tables._records import SEPARATORS, checked_names, find_header, read_records

_SAMPLE_LINES, _CHUNK = 1000, 1 << 20
#: Errors raised for a damaged file.
_BROKEN = (OSError, EOFError, ValueError, KeyError, lzma.LZMAError, zlib.error, zipfile.BadZipFile)
#: Memory per byte of a cell in the file while it is read.
_BYTES_PER_BYTE = 8
_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark begins with the same bytes
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
#: How files begin that are often taken for tables, and cannot be read.
_OTHER_FORMS = {
    "an Arrow or Feather file": rb"ARROW1|FEA1",
    "a pickle of Python": rb"\x80[\x02-\x05]",
    "an SQLite database": rb"SQLite format 3",
    "a file of R": rb"RD[AX][23]\n|X\n\x00\x00",
    "a file of SPSS": rb"\$FL[23]",
    "a file of Stata": rb"<stata_dta>|[rs][\x01\x02]\x01\x00",
    "an HDF5 file": rb"\x89HDF",
    "a PDF file": rb"%PDF",
    "HTML or XML": rb"(?i:<(!doctype|html|table|\?xml)\b)",
    "an ARFF file": rb"(?i:@relation\b)",
    "JSON": rb"[\[{]\s*[\[{\"]",
}
#: One of these is in a zip archive that is a spreadsheet: of Excel, of LibreOffice.
_SPREADSHEETS = {"[Content_Types].xml", "xl/workbook.xml", "content.xml"}


@dataclass
class Cells:
    """The cells of a file as written, and their lines.

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


def read_cells(path: Path, options: Reading, expected: Sequence[str]) -> Cells:
    """All cells of a file; ``expected`` are columns that the header must have, which tells the separator."""
    if not path.is_file():
        raise TableError(f"{path}: no such file")
    with open(path, "rb") as file:
        head = file.read(8)
    if not head:
        raise TableError(f"{path} is empty; expected a header and rows")
    book = head.startswith(b"\xd0\xcf\x11\xe0") or (head.startswith(b"PK\x03\x04") and _is_book(path))
    if options.names and (book or head.startswith(b"PAR1")):
        raise TableError(f"names= is for text without a header; {path} is {'a spreadsheet' if book else 'a Parquet file'}")
    if head.startswith(b"PAR1"):
        return _read_parquet(path)
    cells = _read_spreadsheet(path, options, expected) if book else _read_text(path, options, expected)
    filled = cells.frame.ne("").sum(axis=1).to_numpy()
    if len(filled) > 1 and filled[-1] < 2 < filled[:-1].min():  # a note below the table
        message = f"the last row, {cells.unit} {cells.lines[-1]}, has no more than one cell; expected a case in each row"
        raise TableError(message, rows=cells.lines[-1:], remedy="Remove it from the file")
    return cells


def _is_book(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return not _SPREADSHEETS.isdisjoint(archive.namelist())
    except zipfile.BadZipFile:
        return False


def _read_text(path: Path, options: Reading, expected: Sequence[str]) -> Cells:
    try:
        with open_stream(path) as stream:
            size = sum(map(len, iter(lambda: stream.read(_CHUNK), b"")))
        check_room(_BYTES_PER_BYTE * size, f"{path}, once it is read,", "Use a sample of its rows.")
        with open_stream(path) as stream:
            content = stream.read()
        begins = content[:1000].removeprefix(codecs.BOM_UTF8).lstrip()
        if kind := next((kind for kind, form in _OTHER_FORMS.items() if re.match(form, begins)), None):
            readable = "a text file such as CSV, a spreadsheet, or Parquet"
            raise TableError(f"{path} looks like {kind}; expected {readable}", remedy="Save the table in one of these forms")
        text, encoding, findings = _decoded(path, content, options.encoding)
    except TableError:
        raise
    except _BROKEN as error:
        raise TableError(f"{path} cannot be decompressed ({error})") from error
    # marks of byte order are at the beginning of each file that was joined to others
    separator, lines = options.separator, list(io.StringIO(text.replace("\ufeff", ""), newline=""))
    if len(hint := "".join(lines[:1]).strip()) == 5 and hint.lower().startswith("sep="):  # Excel leaves it
        separator, lines[0] = separator or hint[4], "\n"
    sample = lines[:_SAMPLE_LINES]
    mark = _separator(sample, expected, separator)
    header, above = (0, []) if options.names else find_header(path, _names_in(sample, mark), expected, "line")
    findings += above
    frame, where = read_records(path, lines[header:], mark, header, options.names)
    said = "white space" if mark == "whitespace" else SEPARATORS.get(mark, repr(mark))
    if mark != ",":
        message = f"the separator is a {said}" if mark != "whitespace" else "columns are separated by white space"
        findings.append(Finding("note", None, message, "separator= says another"))
    shown = {"utf-8": "UTF-8", "utf-8-sig": "UTF-8"}.get(encoding, encoding)
    return Cells(frame, where, "line", f"text ({shown}, separator {said})", findings)


def _decoded(path: Path, content: bytes, wanted: str | None) -> tuple[str, str, list[Finding]]:
    """Return text, encoding and a note: the given encoding, that of the first bytes, UTF-8 if valid, or Windows-1252."""
    found = wanted or next((name for mark, name in _BOMS.items() if content.startswith(mark)), None)
    zeros = [content[:4000][place::2].count(0) for place in (0, 1)]
    if found is None and max(zeros) > len(content[:4000]) // 4:
        found = "utf-16-le" if zeros[1] >= zeros[0] else "utf-16-be"
    for name in [found] if found else ["utf-8", "cp1252"]:
        try:
            text = content.decode(name) if wanted or name != "cp1252" else _by_line(content)
        except LookupError:
            raise TableError(f"encoding={name!r} is unknown to Python; expected one such as utf-8 or cp1252") from None
        except UnicodeDecodeError as error:
            at = content.find(error.object) + error.start
            byte, line = content[at], content.count(b"\n", 0, at) + 1
            continue
        findings = []
        if name == "cp1252" and not wanted and (beyond := re.search(r"\w*[^\x00-\x7f]\w*", text)):
            line = text.count("\n", 0, beyond.start()) + 1
            message = f"the file is not UTF-8; read as Windows-1252 (Latin-1), for example {beyond[0]!r} in line {line}"
            findings = [Finding("note", None, message, "if that is wrong, pass encoding=")]
        elif found and not wanted and found != "utf-8-sig":
            findings = [Finding("note", None, f"the file is {found[:6].upper()}", "encoding= says another")]
        return text, name, findings
    raise TableError(
        f"{path} cannot be read as {found or 'UTF-8 or Windows-1252'}: byte 0x{byte:02x} in line {line}",
        rows=[line],
        remedy="encoding= sets it, for example encoding='utf-16', 'mac_roman' or 'shift_jis'",
    )


def _by_line(content: bytes) -> str:
    """Lines that are UTF-8 as such, and all others as Windows-1252: files of both kinds may have been joined."""
    lines = []
    for line in content.splitlines(keepends=True):
        try:
            lines.append(line.decode("utf-8"))
        except UnicodeDecodeError:
            lines.append(line.decode("cp1252"))
    return "".join(lines)


def _separator(sample: list[str], expected: Sequence[str], wanted: str | None) -> str:
    """Return the separator that gives the expected header, or else the most consistent row lengths."""
    if wanted is not None:
        return {"tab": "\t", "comma": ",", "semicolon": ";", "\\t": "\t"}.get(wanted, wanted)
    votes = {}
    for mark in (*SEPARATORS, "whitespace"):
        rows = [names for names in _names_in(sample, mark) if names] or [[]]
        width, count = Counter(map(len, rows)).most_common(1)[0]
        headers = [row for row in rows if len(row) > 1 and (mark != "whitespace" or len(row) == width)]  # a title has words too
        share = count / len(rows) if width > 1 else 0.0
        named = max((len({*row} & {*expected}) for row in headers), default=0)
        votes[mark] = (named, mark != "whitespace" and share > 0, share, width)
    return max(votes, key=votes.__getitem__)  # the first of equals: a comma


def _names_in(lines: list[str], mark: str) -> list[list[str]]:
    """Return the cells of the row that begins in each line, without spaces around; none if it is empty or cannot be read."""
    rows = []
    for place, line in enumerate(lines):
        try:
            rest = [line.split()] if mark == "whitespace" else csv.reader(lines[place:], delimiter=mark, skipinitialspace=True)
            names = [cell.strip() for cell in next(iter(rest), [])]
        except (csv.Error, TypeError):  # reported when all rows are read
            names = []
        rows.append(names if any(names) else [])
    return rows


def _read_parquet(path: Path) -> Cells:
    try:
        frame = pd.read_parquet(path)
        frame = frame.reset_index(drop=isinstance(frame.index, pd.RangeIndex))
    except (ValueError, OSError) as error:
        raise TableError(f"{path} looks like a Parquet file but cannot be read as one ({error})") from error
    if not len(frame):
        raise TableError(f"{path} has columns and no row")
    frame.columns = checked_names(path, list(frame.columns))
    return Cells(frame, np.arange(1, len(frame) + 1), "row", "Parquet")


def _read_spreadsheet(path: Path, options: Reading, expected: Sequence[str]) -> Cells:
    try:
        sheets = pd.read_excel(path, sheet_name=None, header=None, dtype=object, keep_default_na=False, na_filter=False)
    except ImportError as error:
        needed = found[1] if (found := re.search(r"'(\w+)'", str(error))) else "openpyxl"
        raise TableError(
            f"{path} is a spreadsheet; reading it needs {needed}, which is not installed",
            remedy=f"pip install {needed}, or save the sheet as CSV",
        ) from error
    except _BROKEN as error:
        raise TableError(f"{path} looks like a spreadsheet but cannot be read as one ({error})") from error
    sheet = _sheet(path, {str(name): raw.size > 0 for name, raw in sheets.items()}, options.sheet)
    raw = sheets[sheet].map(lambda cell: cell.strip() if isinstance(cell, str) else cell)
    empty = raw.isna() | raw.eq("")
    full = np.flatnonzero(~empty.all(axis=1))
    raw = raw.where(~empty, "")
    texts = [list(map(as_text, row)) for row in raw.iloc[:_SAMPLE_LINES].to_numpy()]
    header, findings = find_header(path, texts, expected, "row")
    full = full[full > header]
    if not len(full):
        raise TableError(f"{path}: the sheet {sheet!r} has no header with rows below it")
    frame = raw.iloc[full].reset_index(drop=True)
    frame.columns = checked_names(path, raw.iloc[header].tolist())
    return Cells(frame, full + 1, "row", f"spreadsheet (sheet {sheet!r})", findings)


def _sheet(path: Path, filled: dict[str, bool], wanted: str | int | None) -> str:
    names = [name for name in filled if filled[name] or wanted is not None]
    if isinstance(wanted, int) and 0 <= wanted < len(names):
        return names[wanted]
    if wanted in names:
        return str(wanted)
    if wanted is not None:
        raise TableError(f"{path} has no sheet {wanted!r}; there are {listed(map(repr, names), 10)}", values=names)
    if len(names) != 1:
        there = f"{path} has {len(names)} sheets that are not empty: {listed(map(repr, names), 10)}"
        raise TableError(there, values=names, remedy="sheet= selects one")
    return names[0]
