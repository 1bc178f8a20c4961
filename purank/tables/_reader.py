"""What each column is: numbers, dates, categories, text, or the name of a row; and its cells as numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from purank.tables._columns import MAX_LEVELS, Column, Rules, as_text
from purank.tables._dates import compact_dates, days, read_dates
from purank.tables._findings import Said, TableError, listed, shortened
from purank.tables._numbers import plain_numbers, read_numbers, sentinel
from purank.tables._spellings import is_missing_word, limit_of, limits_in, may_be_category, remedy_for_numbers

#: A category of a column with many needs so many rows for a column of its own.
_LEVEL_ROWS = 10
#: From so many rows on a column of nothing but different values is taken for a name of rows.
_ID_ROWS = 20
_ID_NAME = re.compile(
    r"(^|.*[_\s.-])(id|ids|uuid|guid|key|ssn|iban|rowid|index)$|^(id|uuid|guid)[_\s.-].*|^column \d+$|^unnamed: \d+$"
)
_ID_CAMEL = re.compile(r".*[a-z](Id|ID|Uuid|UUID)$")
#: The largest number that single precision holds, and the days from 1970 to where dates in nanoseconds end.
_LARGEST, _LAST_DAY = float(np.finfo(np.float32).max), 106_751
_YES, _NO = frozenset(["yes", "y", "true", "t", "ja", "oui"]), frozenset(["no", "n", "false", "f", "nein", "non"])


class Reader:
    """Understands one column after the other, by the rules and by what the whole table shows.

    Parameters
    ----------
    rules : Rules
    lines : int array
        The place of each row in the file.
    unit : str
        ``line`` or ``row``.
    hint : str or None
        The table's decimal mark.
    said : Said
    """

    def __init__(self, rules: Rules, lines: np.ndarray, unit: str, hint: str | None, said: Said) -> None:
        self.rules, self.lines, self.unit, self.hint, self.said = rules, lines, unit, hint, said

    def understand(self, column: Column) -> list[Column]:
        """The column with its kind and, where it is a number of some sort, its values; and columns that mark its cells."""
        wanted = self.rules.kinds.get(column.name)
        numbers = self.rules.encode.get(column.name)
        if numbers is None and column.kind == "" and "*" in self.rules.encode:
            numbers = self.rules.encode["*"]
        if numbers is not None:
            column = self._encoded(column, numbers)
        elif column.kind == "":
            column = self._text_column(column, wanted)
        else:
            column = self._typed_column(column, wanted)
        return [self._settle(one, wanted) for one in (column, *column.flags)]

    def _settle(self, column: Column, wanted: str | None) -> Column:
        """Leave out what says nothing, and what only names rows."""
        n_present, n_levels = np.count_nonzero(column.codes >= 0), len(np.unique(column.codes[column.codes >= 0]))
        values = column.values
        if values is not None and column.kind != "id":
            self._check_range(column)
            present = values[~np.isnan(values)]
            n_present, n_levels = len(present), len(pd.unique(present))
        if not n_present:
            column.kind = "empty"
        elif n_levels == 1 and n_present == len(column.codes):
            column.kind = "constant"
            self.said.add("constant", column.name, str(column.levels[column.codes[column.codes >= 0][0]]))
            return column
        elif n_levels == 1 and values is not None and column.kind != "id":
            self.said.add("flag", column.name, self._shown(column, int(column.codes.max())))
            column.kind, column.values = "boolean", (~np.isnan(values)).astype(np.float64)
        elif column.kind == "number" and wanted is None and self._names_rows(column, int(n_present), n_levels):
            column.kind = "id"
        elif column.kind == "number" and wanted is None and values is not None and compact_dates(values):
            texts = pd.Series(values).astype("Int64").astype("string")
            column.kind, column.values = "date", days(pd.to_datetime(texts, format="%Y%m%d"))
        if column.kind in ("empty", "id"):
            self.said.add(
                column.kind, column.name, f"{n_levels:,} different values in {n_present:,} rows" if column.kind == "id" else ""
            )
        if column.kind == "date":
            self.said.add("date" if self.rules.dates != "drop" else "date out", column.name, column.unit)
        if column.kind == "number" and wanted is None and values is not None and (found := sentinel(values)):
            self.said.add("sentinel", column.name, f"{found[0]:g} in {found[1]:,} rows", [f"{found[0]:g}"])
        return column

    def _names_rows(self, column: Column, n_present: int, n_levels: int) -> bool:
        values = column.values
        assert values is not None
        if n_present < _ID_ROWS or not np.array_equal(values[~np.isnan(values)], np.rint(values[~np.isnan(values)])):
            return False
        if n_present == len(values) and (np.diff(values) == 1).all():
            return True
        named = bool(_ID_NAME.fullmatch(column.name.lower()) or _ID_CAMEL.fullmatch(column.name))
        return named and n_levels > max(MAX_LEVELS, n_present // 10)

    def _check_range(self, column: Column) -> None:
        """Numbers that learners can compute with, and dates that somebody may have written down."""
        most, what = _LARGEST, f"infinite or beyond {_LARGEST:.1e}; expected finite numbers"
        if column.kind == "date":
            if self.rules.dates == "drop":
                return
            most, what = _LAST_DAY, "before 1678 or after 2261; expected dates"
        beyond = np.flatnonzero(np.abs(column.values) > most)  # type: ignore[arg-type]
        if len(beyond):
            cells = [self._shown(column, code) for code in column.codes[beyond]]
            raise TableError(
                f"column {column.name!r} has {len(beyond):,} value{'s' * (len(beyond) > 1)} {what}:"
                f" {self._where(beyond, cells)}",
                column=column.name,
                values=cells,
                rows=self.lines[beyond],
                remedy=f"missing=[{cells[0]!r}] if they stand for missing values",
            )

    def _shown(self, column: Column, code: int) -> str:
        """A level as its owner writes it."""
        level = column.levels[code]
        if column.kind == "date" and isinstance(level, float):
            return str(np.datetime64(int(level), "D"))
        return as_text(level)

    def _typed_column(self, column: Column, wanted: str | None) -> Column:
        """A column of a file with types: what the user calls missing is, and a kind of the user's comes first."""
        texts = [self._shown(column, code) for code in range(len(column.levels))]
        missing = is_missing_word(texts, self.rules.missing, words=False)
        if missing.any():
            gone = np.append(missing, False)[column.codes]
            values = None if column.values is None else np.where(gone, np.nan, column.values)
            found = replace(column, codes=np.where(gone, -1, column.codes), values=values)
            self._say_missing(column, found)
            column = found
        if wanted in ("category", "text", "id"):
            return self._words(Column(column.name, "", column.codes, np.array(texts, dtype=object)), wanted)
        return replace(column, kind="number") if column.kind == "id" and wanted == "number" else column

    def _text_column(self, column: Column, wanted: str | None) -> Column:
        """Words such as "unknown" are missing among numbers and dates, and a category among categories."""
        narrow = self._with_missing(column, words=False)
        wide = self._with_missing(column, words=True, kept=())
        texts = [str(level) for level in wide.levels]
        if texts and wanted in (None, "number", "date"):
            may_be_flag = wanted is None and self.rules.not_missing.isdisjoint(column.levels)
            found = self._yes_or_no(wide, texts) if may_be_flag else None
            if found is None and wanted != "date":
                found = self._number(wide, texts, wanted)
            if found is None and wanted != "number" and not wide.kind:
                found = self._date(wide, texts, wanted)
            if found is not None:
                self._say_missing(column, found)
                return found
        narrow.kind = wide.kind
        found = self._words(narrow, wanted) if len(narrow.levels) else narrow
        self._say_missing(column, narrow, category=found.kind == "category")
        return found

    def _with_missing(self, column: Column, *, words: bool, kept: Collection[str] | None = None) -> Column:
        """The column without the levels that mean a missing value."""
        kept = self.rules.not_missing if kept is None else kept
        missing = is_missing_word(self._all_shown(column), self.rules.missing, words=words, kept=kept)
        place = np.append(np.cumsum(~missing) - 1, -1)
        place[:-1][missing] = -1
        return Column(column.name, column.kind, place[column.codes], column.levels[~missing])

    def _all_shown(self, column: Column) -> list[str]:
        return [self._shown(column, code) for code in range(len(column.levels))]

    def _say_missing(self, before: Column, after: Column, *, category: bool = False) -> None:
        gone = before.codes[(after.codes < 0) & (before.codes >= 0)]
        if len(gone) and len(gone) < len(before.codes):
            counts = np.bincount(gone, minlength=len(before.levels))
            spelled = {
                self._shown(before, int(place)): int(counts[place])
                for place in np.flatnonzero(counts)
                if before.levels[place] != ""
            }
            detail = f"{len(gone):,}" + (
                f": {listed(f'{count:,} {text!r}' for text, count in spelled.items())}" if spelled else ""
            )
            self.said.add("missing", before.name, detail, list(spelled), self.lines[after.codes < 0][:20].tolist())
            others = [str(level) for level in after.levels]
            stated = {word.lower() for word in self.rules.missing}
            for thing, words in (
                ("limits missing", [text for text in spelled if limits_in([text]).any()]),
                (
                    "missing category",
                    [text for text in spelled if category and text.lower() not in stated and may_be_category(text, others)],
                ),
            ):
                if words:
                    self.said.add(thing, before.name, listed(map(repr, words)), words)

    def _yes_or_no(self, column: Column, texts: list[str]) -> Column | None:
        lower = [text.lower() for text in texts]
        if not set(lower) <= _YES | _NO:
            return None
        self.said.add("boolean", column.name)
        values = _take(np.array([float(text in _YES) for text in lower]), column.codes)
        return Column(column.name, "boolean", column.codes, column.levels, values)

    def _number(self, column: Column, texts: list[str], wanted: str | None) -> Column | None:
        digits = all(text.isdecimal() for text in texts)
        if wanted is None and digits and any(len(text) > 15 for text in texts):
            column.kind = "id"
            return column
        if (
            wanted is None
            and digits
            and len(texts) > 1
            and len({len(text) for text in texts}) == 1
            and any(t[0] == "0" for t in texts)
            and len(texts[0]) > 1
        ):
            self.said.add("code", column.name, listed(sorted(texts)[:3]))
            column.kind = "category"
            return None
        limits = limits_in(texts)
        if self.rules.limits and limits.any():
            has_numbers = not read_numbers(texts, self.rules.decimal, self.hint).wrong.all()
            if wanted == "number" or has_numbers:
                return self._with_limits(column, texts, limits, wanted)
        values = plain_numbers(texts)
        if values is not None and not (self.hint == "," and any("." in text for text in texts)) and self.rules.decimal != ",":
            column.kind, column.values = "number", _take(values, column.codes)
            return column
        found = read_numbers(texts, self.rules.decimal, self.hint)
        share = self._share(column, ~found.wrong | ((limits != 0) & bool((~found.wrong).any())))
        if share < 0.5 and wanted is None:
            return None
        if found.problem:
            mark = "mark" in found.problem or "comma" in found.problem
            remedy = "decimal='.' or decimal=',' sets the decimal mark" if mark else "bring them to one unit"
            self._raise(column, texts, found.offending, found.problem, remedy)
        if found.wrong.any():
            wrong = np.flatnonzero(found.wrong)
            counts = np.bincount(column.codes[column.codes >= 0], minlength=len(texts))
            if wanted is None and len(texts) <= 12 and counts[wrong].min() >= 3:
                self.said.add("limits category" if limits.any() else "category", column.name, listed(sorted(texts), 12))
                column.kind = "category"
                return None
            self._raise(
                column,
                texts,
                list(wrong),
                "not all cells are numbers; expected numbers, as the others are",
                remedy_for_numbers(column.name, [texts[place] for place in wrong]),
            )
        for note in sorted(found.notes):
            self.said.add(note, column.name, values=[text for text in texts if "," in text or "." in text][:3])
        if found.unit:
            self.said.add("unit", column.name, found.unit)
        column.kind, column.values = "number", _take(found.values, column.codes)
        return column

    def _with_limits(self, column: Column, texts: list[str], limits: np.ndarray, wanted: str | None) -> Column | None:
        """Cells such as "<0.5" as the limit or half of it, and a column that marks them."""
        bare = [limit_of(text)[1] if sign else text for text, sign in zip(texts, limits, strict=True)]
        found = self._number(column, bare, wanted)
        if found is None or found.values is None:
            return found
        side = np.append(limits, 0)[found.codes]
        if self.rules.limits == "half":  # of a number below zero, half is beyond the limit
            found.values = np.where((side < 0) & (found.values > 0), 0.5 * found.values, found.values)
        for sign, where in ((-1, "below"), (1, "above")):
            if (side == sign).any():
                name = f"{column.name} {where} limit"
                flag = (side == sign).astype(int)
                levels = np.array(["no", "yes"], dtype=object)
                found.flags.append(Column(name, "boolean", flag, levels, flag.astype(np.float64)))
                spelled = [text for text, own in zip(texts, limits, strict=True) if own == sign]
                self.said.add("limits", column.name, f"{flag.sum():,}: {listed(map(repr, spelled), 3)}; {name!r}", spelled)
        return found

    def _date(self, column: Column, texts: list[str], wanted: str | None) -> Column | None:
        form = self.rules.dates if "%" in self.rules.dates else None
        found = read_dates(texts, form)
        if wanted is None and self._share(column, ~found.wrong) < 0.5:
            return None
        if found.problem and self.rules.dates != "drop":
            self._raise(column, texts, found.offending, found.problem, f"{found.remedy}; dates='drop' leaves dates out")
        if found.wrong.any() and self.rules.dates != "drop":
            wrong = np.flatnonzero(found.wrong)
            self._raise(
                column,
                texts,
                list(wrong),
                "not all cells are dates; expected dates, as the others are",
                f"Correct them, or missing={[texts[place] for place in wrong[:5]]!r}",
            )
        column.kind, column.values, column.unit = "date", _take(found.values, column.codes), found.unit
        return column

    def _words(self, column: Column, wanted: str | None) -> Column:
        """Categories, free text, or names of rows: by how many there are, how often each comes, and of how many words."""
        counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.levels))
        n_present, n_levels = int(counts.sum()), len(column.levels)
        if wanted or column.kind:
            column.kind = wanted or column.kind
        elif n_levels <= self.rules.max_levels:
            column.kind = "category"
            if n_levels == n_present >= _ID_ROWS:
                column.kind = "id"
        else:
            words = np.mean([len(str(level).split()) for level in column.levels[:2000]])
            share = n_levels / n_present
            if words >= 2.5 and share >= 0.3:
                column.kind = "text"
            else:
                named = bool(_ID_NAME.fullmatch(column.name.lower()) or _ID_CAMEL.fullmatch(column.name))
                column.kind = "id" if share >= 0.9 or (named and share > 0.1) else "category"
        if column.kind == "category" and n_levels > self.rules.max_levels:
            column = self._grouped(column, counts)
        return column

    def _grouped(self, column: Column, counts: np.ndarray) -> Column:
        order = np.argsort(-counts, kind="stable")
        kept = [place for place in order[: self.rules.max_levels - 1] if counts[place] >= _LEVEL_ROWS]
        if not kept:
            self.said.add(
                "rare",
                column.name,
                f"{len(counts):,} different values, at most {counts.max():,} rows each",
                column.levels[order[:3]].tolist(),
            )
            column.kind = "rare"
            return column
        new = np.full(len(counts) + 1, len(kept))
        new[kept], new[-1] = np.arange(len(kept)), -1
        share = counts[kept].sum() / counts.sum()
        self.said.add(
            "many",
            column.name,
            f"{len(kept)} of {len(counts):,} categories, {share:.0%} of the rows",
            column.levels[order[:3]].tolist(),
        )
        levels = np.append(column.levels[kept].astype(object), "any other")
        return Column(column.name, "category", new[column.codes], levels)

    def _encoded(self, column: Column, numbers: Mapping[Any, float]) -> Column:
        known = {spelled: float(value) for key, value in numbers.items() for spelled in (str(key), as_text(key))}
        before, column = column, self._with_missing(column, words=False, kept=known)
        self._say_missing(before, column)
        texts = self._all_shown(column)
        unknown = [place for place, text in enumerate(texts) if text not in known]
        if unknown:
            self._raise(
                column,
                texts,
                unknown,
                "encode= has no number for some cells",
                f"expected some of {listed(map(repr, known), 10)}",
            )
        return Column(
            column.name, "number", column.codes, column.levels, _take(np.array([known[text] for text in texts]), column.codes)
        )

    def _share(self, column: Column, right: np.ndarray) -> float:
        counts = np.bincount(column.codes[column.codes >= 0], minlength=len(right))
        return max(float(counts[right].sum() / max(counts.sum(), 1)), float(right.mean()))

    def _where(self, rows: np.ndarray, cells: Sequence[Any]) -> str:
        return listed(
            f"{shortened(str(cell))!r} in {self.unit} {self.lines[row]}" for row, cell in zip(rows, cells, strict=True)
        )

    def _raise(self, column: Column, texts: list[str], offending: Sequence[int], problem: str, remedy: str) -> None:
        rows = np.flatnonzero(np.isin(column.codes, list(offending)))
        cells = [texts[code] for code in column.codes[rows]]
        raise TableError(
            f"column {column.name!r}: {problem}: {self._where(rows, cells)}",
            column=column.name,
            values=cells,
            rows=self.lines[rows],
            remedy=remedy,
        )


def _take(values: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The value of each row's level; NaN where it has none."""
    return np.append(values, np.nan)[codes]
