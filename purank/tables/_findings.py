"""Findings about a table: notes and warnings that are collected, and the error that ends the reading."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

#: Values and rows that a message shows; the others are counted.
SHOWN = 5


@dataclass(frozen=True)
class Finding:
    """Something that the user should know about a table.

    Attributes
    ----------
    level : {"note", "warning"}
        A note says how something was understood; a warning, that results may be meaningless.
    column : str or None
        The column, or several columns separated by commas; None if the finding concerns the whole file.
    message : str
    remedy : str
        The option that changes the interpretation.

    Examples
    --------
    >>> from purank import Finding
    >>> print(Finding("note", "pay", "read as missing: column 'pay'", "--not-missing n/a keeps it"))
    note: read as missing: column 'pay' (--not-missing n/a keeps it)
    """

    level: Literal["note", "warning"]
    column: str | None
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

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from purank import TableError, read_table
    >>> file = pathlib.Path(tempfile.mkdtemp(), "people.csv")
    >>> _ = file.write_text("age,labeled\\n30,1\\n40,2\\n")
    >>> try:
    ...     read_table(file, label="labeled")
    ... except TableError as error:
    ...     print(error.column, error.values)
    labeled ('1', '2')
    """

    def __init__(
        self, message: str, *, column: str | None = None, values: Iterable[Any] = (), rows: Iterable[int] = (), remedy: str = ""
    ) -> None:
        super().__init__(message + (f". {remedy}" if remedy else ""))
        self.column, self.remedy = column, remedy
        self.values, self.rows = tuple(str(value) for value in values), tuple(int(row) for row in rows)


def did_you_mean(word: str, known: Collection[str]) -> str:
    """Suggest the nearest known name; empty if none is near.

    Examples
    --------
    >>> did_you_mean("lable", ["label", "truth"])
    " (did you mean 'label'?)"
    """
    near = difflib.get_close_matches(word, [*known], n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def listed(items: Iterable[Any], shown: int = SHOWN) -> str:
    """List the first few items, and the number of the others.

    Examples
    --------
    >>> listed(["a", "b", "c"], shown=2)
    'a, b and 1 more'
    """
    items = [shortened(str(item), 200) for item in items]
    more = f" and {len(items) - shown:,} more" if len(items) > shown else ""
    return ", ".join(items[:shown]) + more


def shortened(text: str, most: int = 60) -> str:
    """Shorten a text that is too long for a message.

    Examples
    --------
    >>> shortened("to be, or not to be", 6)
    'to be,…'
    """
    return text if len(text) <= most else text[:most] + "…"


class Notes:
    """Collects notes about columns, so that each finding is reported once for all of them."""

    HEADS: Mapping[str, tuple[Literal["note", "warning"], str, str]] = {
        "missing": (
            "note",
            "read as missing",
            "on_missing= sets how to treat them, missing= names further spellings, not_missing= keeps some as categories",
        ),
        "unnamed": ("note", "rows without a name got their line as one", "not_missing= keeps a spelling as a name"),
        "missing category": (
            "warning",
            "read as missing, although other categories are spelled alike",
            "not_missing= keeps them as categories, encode= gives them numbers",
        ),
        "limits": ("note", "detection limits became numbers, marked by columns of their own", "limits= sets which numbers"),
        "limits missing": (
            "warning",
            "read as missing, although they are detection limits: the median replaces the lowest or highest values",
            "limits='half' reads them as numbers and marks them",
        ),
        "limits category": (
            "note",
            "few different values, some of them detection limits: read as categories",
            "limits='half' reads them as numbers and marks the limits",
        ),
        "decimal commas": ("note", "decimal commas", "decimal= sets another mark"),
        "thousands": ("note", "thousands separators were removed", "decimal= sets the decimal mark"),
        "unit": ("note", "units were removed from the numbers", "kinds= declares a column categorical"),
        "sentinel": (
            "warning",
            "one value lies far from all others: does it stand for missing values?",
            "missing= reads it as missing",
        ),
        "boolean": ("note", "yes and no, or one value and nothing, became 1 and 0", ""),
        "date": ("note", "dates became numbers", "dates='drop' leaves them out"),
        "code": ("note", "zeros in front, or over 15 digits: codes, read as categories", "kinds= declares a column numeric"),
        "category": (
            "note",
            "few different values, not all of them numbers: read as categories",
            "missing= names spellings of missing values",
        ),
        "many": ("warning", "frequent categories became a column each, all others share one", "max_levels= sets how many"),
        "rare": (
            "warning",
            "left out: many different values, each in few rows",
            "groups= if they say which rows belong together; kinds= keeps one",
        ),
        "id": ("note", "left out: ids", "id= names the one to keep as row names; kinds= declares it a number or category"),
        "text out": (
            "warning",
            "left out: free text",
            "to use it, turn it into columns of numbers, or text='hash' hashes its words",
        ),
        "text": ("note", "words of free text were hashed into columns", "text='drop' leaves them out"),
        "empty": ("note", "left out: all values missing", ""),
        "constant": ("note", "left out: the same value in all rows", ""),
    }

    def __init__(self) -> None:
        self._things: dict[str, dict[str, str]] = defaultdict(dict)

    def add(self, thing: str, column: str, detail: str = "") -> None:
        self._things[thing][column] = detail

    def findings(self) -> list[Finding]:
        found = []
        for thing, entries in self._things.items():
            level, head, remedy = self.HEADS[thing]
            said = listed((f"{name!r} ({detail})" if detail else repr(name) for name, detail in entries.items()), 10)
            found.append(Finding(level, ", ".join(entries), f"{head}: column{'s' * (len(entries) > 1)} {said}", remedy))
        return found
