"""The cells of a column as the file has them, before it is known what they are."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from purank.tables._findings import TableError
from purank.tables._numbers import sure_marks

#: A float holds all whole numbers up to this one.
_LONGEST_INTEGER = 2**53


@dataclass
class Column:
    """A column as it was understood.

    Attributes
    ----------
    name : str
    kind : str
        ``number``, ``date``, ``category``, ``text``, ``id``, ``boolean``, ``empty`` or ``constant``; before it is known,
        ``number`` where the file says so, else nothing.
    codes : int array
        The place of each row's cell in ``levels``; -1 where it is missing.
    levels : list of str
        The different cells, as texts.
    values : float array or None
        Numbers, dates and booleans as numbers.
    unit : str
        What ``values`` of a date count.
    flags : list of Column
        Columns that mark some of its cells.
    """

    name: str
    kind: str
    codes: np.ndarray
    levels: list[str]
    values: np.ndarray | None = None
    unit: str = ""
    flags: list[Column] = field(default_factory=list)

    @property
    def counts(self) -> np.ndarray:
        """How many rows have each level."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.levels))

    def with_values(self, kind: str, values: np.ndarray) -> Column:
        """The column as numbers, from that of each level."""
        self.kind, self.values = kind, np.append(values, np.nan)[self.codes]
        return self

    def texts(self) -> np.ndarray:
        """The cell of each row; "" where it is missing."""
        return np.array([*self.levels, ""], dtype=object)[self.codes]


def table_mark(columns: Sequence[Column]) -> str | None:
    """The decimal mark of the whole table, where its columns of text show one and not the other."""
    marks: set[str] = set()
    for column in columns:
        if not column.kind:
            marks |= sure_marks(column.levels[:1000])
    return marks.pop() if len(marks) == 1 else None


def raw_column(name: str, cells: pd.Series) -> Column:
    """The cells as texts, whatever type the file gives them."""
    if pd.api.types.is_timedelta64_dtype(cells.dtype):
        cells = cells / pd.Timedelta(days=1)
    try:
        places, different = pd.factorize(cells)
    except TypeError:  # lists and dictionaries cannot be counted
        nested = next(str(cell)[:40] for cell in cells if isinstance(cell, list | dict | set | np.ndarray))
        raise TableError(
            f"column {name!r} has cells of several values ({nested}); expected a number, text or date in each cell",
            column=name,
            values=[nested],
            remedy=f"drop=[{name!r}] leaves it out",
        ) from None
    codes, levels = pd.factorize(np.array([as_text(cell) for cell in different], dtype=object))
    typed = all(isinstance(cell, int | float | np.number) and not isinstance(cell, bool) for cell in different if cell != "")
    return Column(name, "number" if typed else "", np.append(codes, -1)[places], list(levels))


def as_text(cell: Any) -> str:
    """A cell as its owner writes it; empty if it is missing."""
    if isinstance(cell, str):
        return cell.strip()
    if cell is None or cell is pd.NA or cell is pd.NaT or cell != cell:
        return ""
    if isinstance(cell, float | np.floating):
        return str(int(cell)) if float(cell).is_integer() and abs(float(cell)) <= _LONGEST_INTEGER else str(float(cell))
    if isinstance(cell, datetime.datetime):
        return cell.isoformat(" ").removesuffix(" 00:00:00")
    return str(cell).strip()
