"""The cells of a column as the file has them, before it is known what they are, and the options that decide it."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from purank.tables._dates import days
from purank.tables._findings import TableError
from purank.tables._numbers import sure_marks

#: What ``kinds`` may say of a column.
KINDS = ("number", "date", "category", "text", "id")
#: Categories that become a column each; of more, the frequent ones do.
MAX_LEVELS = 20
_LONGEST_INTEGER = 2**53


@dataclass(frozen=True)
class Rules:
    """How columns are read; the options of :func:`purank.tables.read_table` of the same names."""

    missing: tuple[str, ...] = ()
    not_missing: frozenset[str] = frozenset()
    limits: str | None = None
    dates: str = "number"
    text: str = "drop"
    kinds: Mapping[str, str] = field(default_factory=dict)
    encode: Mapping[str, Mapping[Any, float]] = field(default_factory=dict)
    decimal: str | None = None
    max_levels: int = MAX_LEVELS


@dataclass
class Column:
    """A column as it was understood.

    Attributes
    ----------
    name : str
    kind : str
        One of :data:`KINDS`, ``boolean``, ``empty`` or ``constant``.
    codes : int array
        The place of each row's cell in ``levels``; -1 where it is missing.
    levels : array
        The different cells.
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
    levels: np.ndarray
    values: np.ndarray | None = None
    unit: str = "days since 1970-01-01"
    flags: list[Column] = field(default_factory=list)


def table_mark(columns: Sequence[Column]) -> str | None:
    """The decimal mark of the whole table, where its columns show one and not the other."""
    marks: set[str] = set()
    for column in columns:
        if column.values is None:
            marks |= sure_marks(column.levels[:1000])
    return marks.pop() if len(marks) == 1 else None


def raw_column(name: str, cells: pd.Series) -> Column:
    """Cells as they are: numbers and times of files that have types, else texts."""
    kind = cells.dtype
    if isinstance(kind, pd.CategoricalDtype):
        cells = cells.astype(object)
    elif pd.api.types.is_bool_dtype(kind):
        values = cells.astype("Float64").to_numpy(dtype=np.float64, na_value=np.nan)
        return _typed(name, "boolean", values)
    elif pd.api.types.is_datetime64_any_dtype(kind):
        return _typed(name, "date", days(cells))
    elif pd.api.types.is_timedelta64_dtype(kind):
        return _typed(name, "number", (cells / pd.Timedelta(days=1)).to_numpy(np.float64))
    elif pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_complex_dtype(kind):
        values = cells.to_numpy(dtype=np.float64, na_value=np.nan)
        return _whole(name, cells, values) if pd.api.types.is_integer_dtype(kind) else _typed(name, "number", values)
    _check_flat(name, cells)
    present = cells[cells.notna() & cells.ne("")] if cells.dtype == object else cells.dropna()
    if len(present) and all(type(cell) in (int, float) for cell in present):
        cells = cells.where(cells.ne(""), None)
        values = pd.to_numeric(cells).to_numpy(dtype=np.float64, na_value=np.nan)
        return _whole(name, cells, values) if all(type(cell) is int for cell in present) else _typed(name, "number", values)
    if len(present) and all(isinstance(cell, datetime.date) for cell in present):
        with contextlib.suppress(pd.errors.OutOfBoundsDatetime):  # a text then, which names the cells
            return _typed(name, "date", days(pd.to_datetime(cells.where(cells.ne(""), None))))
    texts = np.array([as_text(cell) for cell in cells], dtype=object)
    codes, levels = pd.factorize(texts)
    return Column(name, "", codes, np.asarray(levels, dtype=object))


def _typed(name: str, kind: str, values: np.ndarray) -> Column:
    codes, levels = pd.factorize(values)
    return Column(name, kind, codes, np.asarray(levels), values)


def _whole(name: str, cells: pd.Series, values: np.ndarray) -> Column:
    """Whole numbers as written; those that a float does not hold name something."""
    codes, levels = pd.factorize(cells)
    longest = np.abs(values[~np.isnan(values)]).max(initial=0)
    return Column(name, "id" if longest > _LONGEST_INTEGER else "number", codes, np.asarray(levels, dtype=object), values)


def _check_flat(name: str, cells: pd.Series) -> None:
    if pd.api.types.infer_dtype(cells) != "mixed":
        return
    nested = next((cell for cell in cells if isinstance(cell, list | tuple | dict | set | np.ndarray)), None)
    if nested is not None:
        raise TableError(
            f"column {name!r} has cells of several values ({str(nested)[:40]}); expected a number, text or date in each cell",
            column=name,
            values=[str(nested)[:40]],
            remedy=f"drop=[{name!r}] leaves it out",
        )


def as_text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell.strip()
    if cell is None or cell is pd.NA or cell is pd.NaT or (isinstance(cell, float) and cell != cell):
        return ""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) <= _LONGEST_INTEGER:
        return str(int(cell))
    if isinstance(cell, datetime.datetime):
        return cell.isoformat(" ")
    return str(cell).strip()
