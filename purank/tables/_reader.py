"""Infer each column's kind (numbers, dates, categories, text, or names of rows), and read its cells as numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from purank.tables._columns import Column, Found, as_text, is_missing_word, may_be_category
from purank.tables._dates import dates_of_digits, read_dates
from purank.tables._findings import Notes, TableError, listed, shortened
from purank.tables._numbers import limit_of, plain_numbers, read_numbers, sentinel
from purank.tables._options import MAX_LEVELS, Reading

#: A category of a column with many needs so many rows for a column of its own.
_LEVEL_ROWS = 10
#: From this number of rows on, a column of distinct values only is assumed to name the rows.
_ID_ROWS = 20
_ID_NAME = re.compile(
    r"(?i:(^|.*[_\s.-])(id|ids|uuid|guid|key|ssn|iban|rowid|index)$|^(id|uuid|guid)[_\s.-].*|^column \d+$|^unnamed: \d+$)"
    r"|.*[a-z](Id|ID|Uuid|UUID)$"
)
#: Cells such as 120/80, 3.2±0.1 and 47.1° N, which are measured and name no rows.
_BEGINS_WITH_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?\s*[^\w\s.,:;@#_-]")
#: The largest number that single precision holds, and the days from 1970 to where dates in nanoseconds end.
_LARGEST, _LAST_DAY = float(np.finfo(np.float32).max), 106_751
_YES, _NO = frozenset(["yes", "y", "true", "t", "ja", "oui"]), frozenset(["no", "n", "false", "f", "nein", "non"])


class Reader:
    """Interprets one column at a time, by the options and by what the whole table shows.

    Parameters
    ----------
    options : Reading
    lines : int array
        The place of each row in the file.
    unit : str
        ``line`` or ``row``.
    hint : str or None
        The table's decimal mark.
    notes : Notes
    """

    def __init__(self, options: Reading, lines: np.ndarray, unit: str, hint: str | None, notes: Notes) -> None:
        self.options, self.lines, self.unit, self.hint, self.notes = options, lines, unit, hint, notes

    def understand(self, column: Column) -> list[Column]:
        """The column with its kind and, where it is a number of some sort, its values; and columns that mark its cells."""
        wanted = self.options.kinds.get(column.name)
        numbers = self.options.encode.get(column.name)
        column = self._understood(column, wanted) if numbers is None else self._encoded(column, numbers)
        return [self._settled(one, wanted) for one in (column, *column.flags)]

    def names(self, column: Column, *, by_value: bool) -> np.ndarray:
        """The name of each row or its group; the line where there is none.  By value, 1.0 is 1: both occur in joined tables."""
        found = self._without_missing(column, self.options.not_missing, words=False)
        self._say_missing(column, found, "unnamed", category=True)
        if by_value:
            found.levels = [re.sub(r"^(-?\d+)\.0$", r"\1", level) for level in found.levels]
        texts = found.texts()
        return np.where(texts == "", np.array([f"({self.unit} {line})" for line in self.lines], dtype=object), texts)

    def _understood(self, column: Column, wanted: str | None) -> Column:
        """Words such as "unknown" are missing among numbers and dates, and a category among categories."""
        narrow = self._without_missing(column, self.options.not_missing, words=False)
        wide = self._without_missing(column, (), words=True)
        code = wanted is None and _is_code(wide.levels)
        kind = wanted or ""
        if wide.levels and not code and kind in ("", "number", "date"):
            found = None
            if kind != "date" and set(self.options.not_missing).isdisjoint(column.levels):
                found = self._yes_or_no(wide)
            if found is None and kind != "date":
                found = self._number(wide, wanted)
            if found is None and kind != "number":
                found = self._date(wide, wanted)
            if found is not None and found.values is not None:
                self._say_missing(column, found)
                return found
            kind = found.kind if found is not None else kind
        found = self._words(narrow, kind) if narrow.levels else narrow
        if code and found.kind == "category":
            self.notes.add("code", column.name, listed(sorted(wide.levels)[:3]))
        self._say_missing(column, narrow, category=found.kind == "category")
        return found

    def _settled(self, column: Column, wanted: str | None) -> Column:
        """Leave out columns without information, and those that only name rows."""
        n_present, n_levels = int(column.counts.sum()), int(np.count_nonzero(column.counts))
        values = column.values
        if values is not None:
            self._check_range(column)
            n_levels = len(np.unique(values[~np.isnan(values)]))
        if not n_present:
            column.kind = "empty"
            self.notes.add("empty", column.name)
        elif n_levels == 1 and n_present == len(column.codes):
            column.kind = "constant"
            self.notes.add("constant", column.name, column.levels[column.codes[0]])
        elif n_levels == 1 and values is not None:
            self.notes.add("boolean", column.name, column.levels[column.codes.max()])
            column.kind, column.values = "boolean", (~np.isnan(values)).astype(np.float64)
        elif column.kind == "number" and wanted is None and self._names_rows(column, n_levels):
            column.kind = "id"
        if column.kind == "id":
            self.notes.add("id", column.name, f"{n_levels:,} different values in {n_present:,} rows")
        if column.kind == "date" and self.options.dates != "drop":
            self.notes.add("date", column.name, column.unit)
        if column.kind == "number" and wanted is None and values is not None and (found := sentinel(values)):
            self.notes.add("sentinel", column.name, f"{found[0]:g} in {found[1]:,} rows")
        return column

    def _names_rows(self, column: Column, n_levels: int) -> bool:
        assert column.values is not None
        present = column.values[~np.isnan(column.values)]
        if len(present) < _ID_ROWS or not np.array_equal(present, np.rint(present)):
            return False
        one_by_one = len(present) == len(column.values) and bool((np.diff(present) == 1).all())
        return one_by_one or (_is_id(column.name) and n_levels > max(MAX_LEVELS, len(present) // 10))

    def _check_range(self, column: Column) -> None:
        """Check that numbers are within the range of learners, and dates between 1678 and 2261."""
        most, what = _LARGEST, f"infinite or beyond {_LARGEST:.1e}; expected finite numbers"
        if column.kind == "date":
            most, what = _LAST_DAY if self.options.dates != "drop" else np.inf, "before 1678 or after 2261; expected dates"
        beyond = np.abs(column.values) > most  # type: ignore[arg-type]
        n_beyond = int(beyond.sum())
        if n_beyond:
            codes = list(dict.fromkeys(column.codes[beyond].tolist()))
            problem = f"{n_beyond:,} value{'s' * (n_beyond > 1)} {what}"
            self._raise(column, codes, problem, f"missing=[{column.levels[codes[0]]!r}] if they stand for missing values")

    def _without_missing(self, column: Column, kept: Collection[str], *, words: bool) -> Column:
        """Return the column without the levels that mean a missing value."""
        missing = is_missing_word(column.levels, self.options.missing, words=words, kept=kept)
        place = np.append(np.where(missing, -1, np.cumsum(~missing) - 1), -1)
        levels = [level for level, gone in zip(column.levels, missing, strict=True) if not gone]
        return Column(column.name, column.kind, place[column.codes], levels)

    def _say_missing(self, before: Column, after: Column, thing: str = "missing", *, category: bool = False) -> None:
        gone = before.codes[(after.codes < 0) & (before.codes >= 0)]
        if not len(gone) or len(gone) == len(before.codes):
            return
        counts = np.bincount(gone, minlength=len(before.levels))
        spelled = {before.levels[place]: counts[place] for place in np.flatnonzero(counts) if before.levels[place]}
        shown = f": {listed(f'{count:,} {text!r}' for text, count in spelled.items())}" if spelled else ""
        self.notes.add(thing, before.name, f"{len(gone):,}{shown}")
        stated = {word.lower() for word in self.options.missing}
        limits = [text for text in spelled if limit_of(text)[0]]
        alike = [text for text in spelled if text.lower() not in stated and may_be_category(text, after.levels)]
        if limits:
            self.notes.add("limits missing", before.name, listed(map(repr, limits)))
        if alike and category:
            self.notes.add("missing category", before.name, listed(map(repr, alike)))

    def _yes_or_no(self, column: Column) -> Column | None:
        lower = [text.lower() for text in column.levels]
        if not set(lower) <= _YES | _NO:
            return None
        self.notes.add("boolean", column.name)
        return column.with_values("boolean", Found(np.array([float(text in _YES) for text in lower])))

    def _number(self, column: Column, wanted: str | None) -> Column | None:
        """The column as numbers; with the kind "category" where some cells are none; None where most are none."""
        texts, options, typed = column.levels, self.options, column.kind == "number"
        if wanted is None and column.counts.sum() >= _ID_ROWS and not _is_id(column.name):
            dates = dates_of_digits(texts)
            if dates is not None:
                return column.with_values("date", dates)
        limits = np.array([limit_of(text)[0] for text in texts])
        read = options.limits is not None and limits.any()
        read = read and (wanted == "number" or not self._read_numbers(texts, typed).wrong.all())
        found = self._read_numbers([limit_of(text)[1] for text in texts] if read else texts, typed)
        right = ~found.wrong
        share = self._share(column, right | ((limits != 0) & right.any()))
        if share < 0.5 and wanted is None:
            return None
        if found.problem:
            remedy = f"{found.remedy}; kinds={{{column.name!r}: 'category'}} takes all as categories"
            self._raise(column, found.offending, found.problem, remedy)
        if found.wrong.any():
            wrong = np.flatnonzero(found.wrong).tolist()
            if wanted is None and len(texts) <= 12 and column.counts[wrong].min() >= 3:
                self.notes.add("limits category" if limits.any() else "category", column.name, listed(sorted(texts), 12))
                column.kind = "category"
                return column
            problem = "not all cells are numbers; expected numbers, as the others are"
            self._raise(column, wrong, problem, _remedy_for(column.name, [texts[place] for place in wrong]))
        for note in sorted(found.notes):
            self.notes.add(note, column.name)
        if found.unit:
            self.notes.add("unit", column.name, found.unit)
        column = column.with_values("number", found)
        if read:
            self._mark_limits(column, np.append(limits, 0)[column.codes])
        return column

    def _read_numbers(self, texts: list[str], typed: bool) -> Found:
        """Numbers as programs write them, or as people do; those of a ``typed`` file have decimal points."""
        values = plain_numbers(texts)
        points = not typed and any("." in text for text in texts)
        if values is not None and not (points and (self.options.decimal or self.hint) != "."):
            return Found(values)
        return read_numbers(texts, self.options.decimal, self.hint)

    def _mark_limits(self, column: Column, side: np.ndarray) -> None:
        """Cells such as "<0.5" as the limit or half of it, and a column that marks them."""
        values = column.values
        assert values is not None
        if self.options.limits == "half":  # of a number below zero, half is beyond the limit
            column.values = np.where((side < 0) & (values > 0), 0.5 * values, values)
        for sign, where in ((-1, "below"), (1, "above")):
            if (side == sign).any():
                own = (side == sign).astype(int)
                flag = Column(f"{column.name} {where} limit", "boolean", own, ["no", "yes"], own.astype(np.float64))
                column.flags.append(flag)
        spelled = listed((repr(text) for text in column.levels if limit_of(text)[0]), 3)
        marks = ", ".join(repr(flag.name) for flag in column.flags)
        self.notes.add("limits", column.name, f"{np.count_nonzero(side):,}: {spelled}; {marks}")

    def _date(self, column: Column, wanted: str | None) -> Column | None:
        dates = self.options.dates
        found = read_dates(column.levels, dates if "%" in dates else None)
        if wanted is None and self._share(column, ~found.wrong) < 0.5:
            return None
        if found.problem and dates != "drop":
            self._raise(column, found.offending, found.problem, f"{found.remedy}; dates='drop' leaves dates out")
        if found.wrong.any() and dates != "drop":
            wrong = np.flatnonzero(found.wrong).tolist()
            remedy = _remedy_for(column.name, [column.levels[place] for place in wrong])
            self._raise(column, wrong, "not all cells are dates; expected dates, as the others are", remedy)
        return column.with_values("date", found)

    def _words(self, column: Column, kind: str) -> Column:
        """Categories, free text, or names of rows: by how many there are, how often each comes, and of how many words."""
        n_present, n_levels = int(column.counts.sum()), len(column.levels)
        column.kind = kind
        if not kind and n_levels > self.options.max_levels and all(map(_BEGINS_WITH_NUMBER.match, column.levels)):
            column.kind = "text"
        elif not kind and n_levels <= self.options.max_levels:
            column.kind = "id" if n_levels == n_present >= _ID_ROWS else "category"
        elif not kind:
            words = np.mean([len(level.split()) for level in column.levels[:2000]])
            share = n_levels / n_present
            if words >= 2.5 and share >= 0.3:
                column.kind = "text"
            else:
                column.kind = "id" if share >= 0.9 or (_is_id(column.name) and share > 0.1) else "category"
        many = column.kind == "category" and n_levels > self.options.max_levels
        return self._grouped(column) if many else column

    def _grouped(self, column: Column) -> Column:
        """Return the frequent categories, and one for all others; the kind is "rare" if none is frequent or stated."""
        counts = column.counts
        order = np.argsort(-counts, kind="stable")
        least = 1 if column.name in self.options.kinds else _LEVEL_ROWS
        kept = [place for place in order[: self.options.max_levels - 1] if counts[place] >= least]
        if not kept:
            self.notes.add("rare", column.name, f"{len(counts):,} different values, at most {counts.max():,} rows each")
            column.kind = "rare"
            return column
        new = np.full(len(counts) + 1, len(kept))
        new[kept], new[-1] = np.arange(len(kept)), -1
        share = counts[kept].sum() / counts.sum()
        self.notes.add("many", column.name, f"{len(kept)} of {len(counts):,} categories, {share:.0%} of the rows")
        return Column(column.name, "category", new[column.codes], [*(column.levels[place] for place in kept), "any other"])

    def _encoded(self, column: Column, numbers: Mapping[Any, float]) -> Column:
        known = {spelled: float(value) for key, value in numbers.items() for spelled in (str(key), as_text(key))}
        found = self._without_missing(column, known, words=False)
        self._say_missing(column, found)
        unknown = [place for place, text in enumerate(found.levels) if text not in known]
        if unknown:
            remedy = f"expected some of {listed(map(repr, known), 10)}"
            self._raise(found, unknown, "encode= has no number for some cells", remedy)
        return found.with_values("number", Found(np.array([known[text] for text in found.levels])))

    def _share(self, column: Column, right: np.ndarray) -> float:
        """The share of the rows, or of the different cells if that is more."""
        return max(float(column.counts[right].sum() / max(column.counts.sum(), 1)), float(right.mean()))

    def _raise(self, column: Column, offending: Sequence[int], problem: str, remedy: str) -> NoReturn:
        """Make an error about some of a column's distinct cells."""
        rows = np.flatnonzero(np.isin(column.codes, offending))
        cells = column.texts()[rows]
        where = listed(f"{shortened(cell)!r} in {self.unit} {line}" for cell, line in zip(cells, self.lines[rows], strict=True))
        message = f"column {column.name!r}: {problem}: {where}"
        raise TableError(message, column=column.name, values=cells, rows=self.lines[rows], remedy=remedy)


def _is_code(texts: list[str]) -> bool:
    """Whether digits are no number: more than a float holds, or with zeros in front, and as many in each or zeros in all."""
    if not texts or not all(text.isdecimal() for text in texts):
        return False
    zeros = [text[0] == "0" and len(text) > 1 for text in texts]
    return max(map(len, texts)) > 15 or (len(texts) > 1 and (all(zeros) or (any(zeros) and len({*map(len, texts)}) == 1)))


def _is_id(name: str) -> bool:
    """Whether a column is called like the names of rows."""
    return bool(_ID_NAME.fullmatch(name))


def _remedy_for(name: str, wrong: list[str]) -> str:
    """What to do about cells that are no numbers or dates: detection limits are not missing, other texts may be."""
    limits, remedies = [text for text in wrong if limit_of(text)[0]], []
    others = [text for text in wrong if text not in limits]
    if limits:
        remedies.append(
            f"limits='half' reads {listed(map(repr, limits))} as half the limit (limits='limit' as the limit; above a limit,"
            " both do) and marks such cells in a column of their own"
        )
    if any(text[0] in "<>≤≥" for text in others):
        remedies.append("a detection limit needs its number, as in '<0.5'")
    if others:
        words = "[" + listed(map(repr, others)) + "]"
        remedies.append(f"{'correct the others' if remedies else 'Correct them'}; missing={words} reads them as missing")
    return "; ".join(remedies) + f", kinds={{{name!r}: 'category'}} takes all as categories"
