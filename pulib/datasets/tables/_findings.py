"""What is said about a table: notes and warnings that are collected, and the error that ends the reading."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

#: Values and rows that a message shows; the others are counted.
SHOWN = 5


@dataclass(frozen=True)
class Finding:
    """Something about a table that its owner should know.

    Attributes
    ----------
    level : {"note", "warning"}
        A note says how something was understood; a warning, that results may mean nothing.
    column : str or None
        The column, or several ones with commas between; None where it concerns the whole file.
    values : tuple of str
        The cells that it is about, some of them.
    rows : tuple of int
        Their lines in the file (rows of a spreadsheet), some of them.
    message : str
    remedy : str
        The option that changes what was understood.
    """

    level: Literal["note", "warning"]
    column: str | None
    values: tuple[str, ...]
    rows: tuple[int, ...]
    message: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.level}: {self.message}" + (f" ({self.remedy})" if self.remedy else "")


class TableError(ValueError):
    """A table that cannot be used as it is: what is wrong, where, and what to do.

    Attributes
    ----------
    column : str or None
    values : tuple of str
    rows : tuple of int
        Lines in the file, or rows of a spreadsheet.
    remedy : str
    """

    def __init__(
        self, message: str, *, column: str | None = None, values: Iterable[Any] = (), rows: Iterable[int] = (), remedy: str = ""
    ) -> None:
        super().__init__(message + (f". {remedy}" if remedy else ""))
        self.column, self.remedy = column, remedy
        self.values, self.rows = tuple(str(value) for value in values), tuple(int(row) for row in rows)


def listed(items: Iterable[Any], shown: int = SHOWN) -> str:
    """The first few of some items, and how many more there are.

    Examples
    --------
    >>> listed(["a", "b", "c"], shown=2)
    'a, b and 1 more'
    """
    items = [str(item) for item in items]
    more = f" and {len(items) - shown:,} more" if len(items) > shown else ""
    return ", ".join(items[:shown]) + more
