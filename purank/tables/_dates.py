"""Dates and times as people write them, as days since 1970."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

_ISO = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ]\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?")
_THREE = re.compile(
    r"(?P<a>\d{1,2})(?P<mark>[./-])(?P<b>\d{1,2})(?P=mark)(?P<year>\d{4}|\d{2})"
    r"([T ,]+\d{1,2}:\d{2}(:\d{2})?(\s*[AaPp]\.?[Mm]\.?)?)?"
)
_NAME = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_NAMED = re.compile(
    rf"(?:\w{{3,9}},?\s+)?(?:\d{{1,2}}[-./ ]*{_NAME}[-./, ]*(?P<year>\d{{4}}|\d{{2}})|{_NAME}\.? \d{{1,2}},? \d{{4}})"
    r"(?:[T ,:]+\d{1,2}:\d{2}(?::\d{2})?)?(?:\s*(?:UTC|GMT|[+-]\d{4}))?",
    re.IGNORECASE,
)
_MONTH = re.compile(r"(19|20)\d{2}[-/](0[1-9]|1[0-2])")
_TIME = re.compile(
    r"(?P<hours>\d{1,3}):(?P<minutes>[0-5]\d)(:(?P<seconds>[0-5]\d([.,]\d+)?))?(\s*(?P<half>[ap])\.?m\.?)?", re.IGNORECASE
)
#: Years of two digits up to the first are of this century, from the second on of the last; between them, of either.
_THIS_CENTURY, _LAST_CENTURY = 29, 70
#: Fewer numbers of eight digits are no dates.
_LEAST_COMPACT = 20


@dataclass
class Dates:
    """A column's different texts as days since 1970 (times of day: hours); NaN and ``wrong`` where a text is none."""

    values: np.ndarray
    wrong: np.ndarray
    problem: str = ""
    offending: list[int] = field(default_factory=list)
    remedy: str = "dates='%d/%m/%Y' or dates='%m/%d/%Y' gives the format"
    unit: str = "days since 1970-01-01"


def read_dates(texts: list[str], form: str | None = None) -> Dates:
    """Different texts of a column as dates; ``form`` is the format as ``strptime`` has it, where the user says it."""
    series = pd.Series(texts, dtype=object)
    if form is not None:
        return _dates(pd.to_datetime(series, format=form, errors="coerce", utc=True))
    if all(_TIME.fullmatch(text) for text in texts[:50]):
        values = np.array([_hours(_TIME.fullmatch(text)) for text in texts])
        return Dates(values, np.isnan(values), unit="hours")
    if all(_MONTH.fullmatch(text) for text in texts):
        return _dates(pd.to_datetime(series.str.replace("/", "-"), format="%Y-%m", utc=True))
    shaped = np.array([bool(_ISO.fullmatch(text)) for text in texts], bool)
    if shaped.mean() >= 0.5:
        iso = series.where(shaped).str.replace(r"^(\d{4})[/.](\d{1,2})[/.](\d{1,2})", r"\1-\2-\3", regex=True)
        iso = iso.str.replace(r"^(\d{4})-(\d)(?!\d)", r"\1-0\2", regex=True).str.replace(
            r"^(\d{4}-\d{2})-(\d)(?!\d)", r"\1-0\2", regex=True
        )
        iso = iso.str.replace(",", ".").str.replace(r"\s*(UTC|GMT)$", "Z", regex=True)
        return _dates(pd.to_datetime(iso, format="ISO8601", errors="coerce", utc=True))
    threes = [_THREE.fullmatch(text) for text in texts]
    shaped = np.array([match is not None for match in threes], bool)
    if shaped.mean() >= 0.5:
        return _three_numbers(threes, shaped)
    names = [_NAMED.fullmatch(text) for text in texts]
    spaced = _with_centuries(names).str.replace(r"(\d{4}):", r"\1 ", regex=True)  # 01MAR2021:10:00
    parsed = pd.to_datetime(spaced, format="mixed", dayfirst=True, errors="coerce", utc=True)
    return _centuries(_dates(parsed), names)


def _hours(match: re.Match[str] | None) -> float:
    """Hours of the day, or that something takes."""
    if match is None:
        return np.nan
    hours = int(match["hours"]) % 12 + 12 * (match["half"] in "pP") if match["half"] else int(match["hours"])
    return hours + int(match["minutes"]) / 60 + float((match["seconds"] or "0").replace(",", ".")) / 3600


def _with_centuries(matches: Sequence[re.Match[str] | None]) -> pd.Series:
    """The texts that matched, their years with four digits."""
    texts = []
    for match in matches:
        text = match and match[0]
        if match and match["year"] and len(match["year"]) == 2:
            begin, end = match.span("year")
            text = f"{match[0][:begin]}{19 if int(match['year']) >= _LAST_CENTURY else 20}{match[0][begin:end]}{match[0][end:]}"
        texts.append(text)
    return pd.Series(texts, dtype=object)


def _centuries(dates: Dates, matches: Sequence[re.Match[str] | None]) -> Dates:
    """A problem where years of two digits may be of either century, and a word where there are such years."""
    years = {place: int(match["year"]) for place, match in enumerate(matches) if match and len(match["year"] or "") == 2}
    unsure = [place for place, year in years.items() if _THIS_CENTURY < year < _LAST_CENTURY]
    if years:
        dates.unit += f", years of two digits from {_LAST_CENTURY} on in the last century"
    if unsure and not dates.problem:
        dates.problem, dates.offending = "years of two digits may be of this century or the last", unsure
        dates.remedy = "Write four digits; a format with %y, such as dates='%d.%m.%y', reads 69 to 99 as 1969 to 1999"
    return dates


def _three_numbers(threes: list[re.Match[str] | None], shaped: np.ndarray) -> Dates:
    """Day and month are told apart by a number above 12; with points the day comes first."""
    found = [match for match in threes if match is not None]
    day_first = [place for place, match in enumerate(threes) if match and int(match["a"]) > 12]
    month_first = [place for place, match in enumerate(threes) if match and int(match["b"]) > 12]
    points = any(match["mark"] == "." for match in found)
    problem, offending = "", list[int]()
    if day_first and month_first and not points:
        problem, offending = "some dates begin with the day, others with the month", min(day_first, month_first, key=len)
    elif not day_first and not month_first and not points:
        problem, offending = "day and month are ambiguous, since no number is above 12", np.flatnonzero(shaped).tolist()
    first = bool(day_first) or points
    text = _with_centuries(threes).str.replace(r"[./-]", "/", n=2, regex=True)
    dates = _dates(pd.to_datetime(text, format="mixed", dayfirst=first, errors="coerce", utc=True))
    if first:  # pandas would take 12/31 as a month all the same
        dates.wrong[month_first] = True
        dates.values[month_first] = np.nan
    dates.problem, dates.offending = problem, offending
    return _centuries(dates, threes)


def _dates(parsed: pd.Series) -> Dates:
    return Dates(days(parsed), parsed.isna().to_numpy(copy=True))


def days(times: pd.Series) -> np.ndarray:
    """Times as days since 1970-01-01, with a fraction; NaN where there is none."""
    times = pd.to_datetime(times, utc=True).dt.as_unit("us")  # nanoseconds end in 2262
    return ((times - pd.Timestamp(0, tz="UTC").as_unit("us")) / pd.Timedelta(days=1)).to_numpy(dtype=np.float64, copy=True)


def compact_dates(values: np.ndarray) -> bool:
    """Whether numbers are dates such as 20210301, every one of them."""
    present = values[~np.isnan(values)]
    if len(present) < _LEAST_COMPACT or present.min() < 1900_01_01 or present.max() > 2100_12_31:
        return False
    if not np.array_equal(present, np.rint(present)):
        return False
    texts = pd.Series(np.unique(present)).astype("int64").astype("string")
    return len(texts) >= 5 and bool(pd.to_datetime(texts, format="%Y%m%d", errors="coerce").notna().all())
