"""Dates and times as people write them, as days since 1970."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from purank.tables._columns import Found

#: How names of months begin in English, German and French.
# fmt: off
_MONTHS = ["jan", "feb|f[ée]v", "mae?r|mär|mrz", "apr|avr", "may|mai", "jun|juin", "jul|juil", "aug|ao[ûu]", "sep", "o[ck]t",
           "nov", "d[eé][cz]"]
# fmt: on
_NAME = rf"(?:{'|'.join(_MONTHS)})[^\W\d_]{{0,6}}"
_TIME = r"(?P<hour>\d{1,3}):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d(?:[.,]\d+)?))?(?:\s*(?P<half>[ap])\.?m\.?)?"
#: The year first, the month's name, or two numbers before the year; then a time and a zone.
_DATE = re.compile(
    rf"(?:[^\W\d_]{{2,10}}[.,]*\s+)?(?:"
    rf"(?P<year>\d{{4}})[-/.](?P<month>\d{{1,2}})(?:[-/.](?P<day>\d{{1,2}})|(?<=(?:19|20)\d\d[-/](?:0[1-9]|1[0-2])))|"
    rf"(?P<a>\d{{1,2}})(?P<mark>[./-])(?P<b>\d{{1,2}})(?P=mark)(?P<year3>\d{{4}}|\d{{2}})|"
    rf"(?P<day1>\d{{1,2}})[-./ ]*(?P<name1>{_NAME})[-./, ]*(?P<year1>\d{{4}}|\d{{2}})|"
    rf"(?P<name2>{_NAME})\.? (?P<day2>\d{{1,2}}),? (?P<year2>\d{{4}})"
    rf")(?:[T ,:]+{_TIME}\s*(?P<zone>Z|UTC|GMT|[+-]\d{{2}}(?::?\d{{2}})?)?)?",
    re.IGNORECASE,
)
_DURATION = re.compile(_TIME, re.IGNORECASE)
#: Years of two digits up to the first are of this century, from the second on of the last; between them, of either.
_THIS_CENTURY, _LAST_CENTURY = 29, 70
_DAYS = "days since 1970-01-01"


def read_dates(texts: Sequence[str], form: str | None = None) -> Found:
    """Different texts of a column as dates; ``form`` is the format as ``strptime`` has it, where the user says it."""
    if form is not None:
        return Found(_days(texts, form), unit=_DAYS)
    if all(_DURATION.fullmatch(text) for text in texts[:50]):
        return Found(np.array([_hours(_DURATION.fullmatch(text)) for text in texts]), unit="hours")
    matches = [_DATE.fullmatch(text) for text in texts]
    if not all(match and match["year"] and not match["day"] for match in matches):  # months alone: all of them or none
        matches = [match if match and not (match["year"] and not match["day"]) else None for match in matches]
    # with points, the day comes first
    threes = {place: match for place, match in enumerate(matches) if match and match["mark"] and match["mark"] != "."}
    day_first = [place for place, match in threes.items() if int(match["a"]) > 12]
    month_first = [place for place, match in threes.items() if int(match["b"]) > 12]
    dates = Found(_days([_iso(match, bool(day_first)) for match in matches], "ISO8601"), unit=_DAYS)
    dates.remedy = "dates='%d/%m/%Y' or dates='%m/%d/%Y' gives the format"
    if day_first and month_first:
        dates.problem = "some dates begin with the day, others with the month"
        dates.offending = min(day_first, month_first, key=len)
    elif threes and not (day_first or month_first):
        dates.problem, dates.offending = "day and month are ambiguous, since no number is above 12", [*threes]
    years = {place: int(year) for place, match in enumerate(matches) if match and len(year := _year(match)) == 2}
    unsure = [place for place, year in years.items() if _THIS_CENTURY < year < _LAST_CENTURY]
    if years:
        dates.unit += f", years of two digits from {_LAST_CENTURY} on in the last century"
    if unsure and not dates.problem:
        dates.problem, dates.offending = "years of two digits may be of this century or the last", unsure
        dates.remedy = "Write four digits; a format with %y, such as dates='%d.%m.%y', reads 69 to 99 as 1969 to 1999"
    return dates


def _hours(match: re.Match[str] | None) -> float:
    """Return a time of day or a duration in hours."""
    if match is None:
        return np.nan
    hours = int(match["hour"]) % 12 + 12 * (match["half"] in "pP") if match["half"] else int(match["hour"])
    return hours + int(match["minute"]) / 60 + float((match["second"] or "0").replace(",", ".")) / 3600


def _year(match: re.Match[str]) -> str:
    return match["year"] or match["year1"] or match["year2"] or match["year3"]


def _iso(match: re.Match[str] | None, day_first: bool) -> str:
    """Return a date in ISO format, which pandas reads fast and unambiguously; empty without a match."""
    if match is None:
        return ""
    year, day = _year(match), match["day"] or match["day1"] or match["day2"] or "1"
    if len(year) == 2:
        year = f"{19 if int(year) >= _LAST_CENTURY else 20}{year}"
    month = match["month"]
    if name := match["name1"] or match["name2"]:
        month = str(next(k for k, begins in enumerate(_MONTHS, 1) if re.match(begins, name, re.IGNORECASE)))
    elif match["mark"]:
        day, month = (match["a"], match["b"]) if day_first or match["mark"] == "." else (match["b"], match["a"])
    text = f"{year}-{month:0>2}-{day:0>2}"
    if not match["hour"]:
        return text
    hour = f"{int(_hours(match)):02}:{match['minute']}:{(match['second'] or '00').replace(',', '.')}"
    return f"{text}T{hour}{(match['zone'] or '').upper().replace('UTC', 'Z').replace('GMT', 'Z')}"


def dates_of_digits(texts: Sequence[str]) -> Found | None:
    """Read texts such as 20210301 as dates if all are dates and there are at least five."""
    if len(texts) < 5 or not all(re.fullmatch(r"(19|20)\d{6}", text) for text in texts):
        return None
    found = Found(_days(texts, "%Y%m%d"), unit=_DAYS)
    return None if found.wrong.any() else found


def _days(texts: Sequence[str], form: str) -> np.ndarray:
    """Return texts as days since 1970-01-01, with a fraction; NaN if a text is not a date."""
    times = pd.to_datetime(pd.Series(texts, dtype=object), format=form, errors="coerce", utc=True)
    times = times.dt.as_unit("us")  # nanoseconds end in 2262
    return ((times - pd.Timestamp(0, tz="UTC").as_unit("us")) / pd.Timedelta(days=1)).to_numpy(dtype=np.float64, copy=True)
