"""The cells of a column before its kind is known, and which of them are missing."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd

from purank.tables._findings import TableError

#: Spellings of a missing value in any column, in lower case.
# fmt: off
MISSING = frozenset([
    "", "na", "n/a", "n.a.", "n.a", "n/d", "#n/a", "#na", "nan", "-nan", "null", "(null)", "<na>", "nat", "?", "-",
    "--", "---", "–", "—", ".", "..", "...", "\\n", "#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!", "#n/v",
])
#: Words that mean a missing value in a column of numbers or dates; in a column of categories, each is a category.
MISSING_WORDS = frozenset([
    "none", "nil", "missing", "empty", "unknown", "unk", "not available", "not applicable", "not known", "not recorded",
    "not measured", "blank", "no data", "no value", "nd", "n.d.", "undefined", "tbd", "k.a.", "keine angabe",
    "unbekannt", "inconnu", "xxx", "*",
])
# fmt: on
#: A float holds all whole numbers up to this one.
_LONGEST_INTEGER = 2**53


@dataclass
class Column:
    """A column as it was interpreted.

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
        """Number of rows with each level."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.levels))

    def with_values(self, kind: str, found: Found) -> Column:
        """Return the column as numbers, given the number of each level."""
        self.kind, self.unit, self.values = kind, found.unit, np.append(found.values, np.nan)[self.codes]
        return self

    def texts(self) -> np.ndarray:
        """Return the cell of each row; "" if it is missing."""
        return np.array([*self.levels, ""], dtype=object)[self.codes]


@dataclass
class Found:
    """The different texts of a column as numbers or dates.

    Attributes
    ----------
    values : float array
        NaN where a text is none.
    problem : str
        Why the column cannot be read though its texts are numbers or dates.
    offending : sequence of int
        The texts that show it.
    remedy : str
        What to do about it.
    unit : str
        The unit or currency of each number, which was taken off; what dates count.
    notes : set of str
        ``decimal commas``, ``thousands``; what was understood.
    """

    values: np.ndarray
    problem: str = ""
    offending: Sequence[int] = ()
    remedy: str = ""
    unit: str = ""
    notes: set[str] = field(default_factory=set)

    @property
    def wrong(self) -> np.ndarray:
        """Texts that are neither numbers nor dates."""
        return np.isnan(self.values)


def raw_column(name: str, cells: pd.Series) -> Column:
    """Return the cells as texts, regardless of their type in the file."""
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
    different = [cell / pd.Timedelta(days=1) if isinstance(cell, datetime.timedelta) else cell for cell in different]
    codes, levels = pd.factorize(np.array([as_text(cell) for cell in different], dtype=object))
    typed = all(isinstance(cell, Number) and not isinstance(cell, bool) for cell in different if cell != "")
    return Column(name, "number" if typed else "", np.append(codes, -1)[places], list(levels))


def as_text(cell: Any) -> str:
    """Return a cell as a person would write it; empty if it is missing."""
    if isinstance(cell, str):
        return cell.strip()
    if cell is None or cell is pd.NA or cell is pd.NaT or cell != cell:
        return ""
    if isinstance(cell, float | np.floating):
        return str(int(cell)) if float(cell).is_integer() and abs(float(cell)) <= _LONGEST_INTEGER else str(float(cell))
    if isinstance(cell, datetime.datetime):
        return cell.isoformat(" ").removesuffix(" 00:00:00")
    return str(cell).strip()


def is_missing_word(
    texts: Collection[str], extra: Collection[str], *, words: bool, kept: Collection[str] = frozenset()
) -> np.ndarray:
    """Mark texts that mean a missing value; ``words`` includes possible categories, and ``kept`` are never missing."""
    known = MISSING | {word.strip().lower() for word in extra} | (MISSING_WORDS if words else frozenset())
    return np.array([text.lower() in known and text not in kept for text in texts], dtype=bool)


def may_be_category(word: str, others: Iterable[str]) -> bool:
    """Whether a spelling of "missing" looks like the other categories: "Na" and "Li", "NA" and "US".

    Examples
    --------
    >>> may_be_category("Na", ["K", "Li"]), may_be_category("NA", ["red", "blue"]), may_be_category("NULL", ["BLUE"])
    (True, False, False)
    """
    if not word.isalpha() or word in _OF_PROGRAMS:
        return False
    return any(_shape(other) == _shape(word) for other in others)


_OF_PROGRAMS = frozenset(["nan", "NaN", "NAN", "null", "NULL", "NaT"])


def _shape(text: str) -> str:
    return "".join("A" if letter.isupper() else "a" if letter.islower() else letter for letter in text)
