"""Numbers as people write them: decimal commas, separators of thousands, units, dates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_INFINITE = re.compile(r"[+-]?(inf|infinity|∞)", re.IGNORECASE)
_CURRENCY = r"(?:[€$£¥₹]|US\$|USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|Fr\.|kr\.?|Rs\.?)"
_WRITTEN = re.compile(
    rf"(?P<open>\()?(?P<sign>[+-]?)\s*(?P<before>{_CURRENCY})?\s*(?P<sign2>[+-]?)\s*"
    r"(?P<body>\d[\d.,' ]*\d|\d|[.,]\d+)(?P<exponent>[eE][+-]?\d+)?"
    rf"(?:\s*(?P<mark>%|‰|°[CF]?|{_CURRENCY}|)|\s+(?P<spaced>[A-Za-zµμ°²³/%]{{1,8}})|(?P<glued>[A-Za-zµμ]{{1,3}}))(?P<close>\))?"
)
_GROUPED = re.compile(r"[1-9]\d{0,2}([.,])\d{3}")


@dataclass
class Written:
    """A number as it is written, before it is known which mark is the decimal one.

    ``marks`` says what its separators tell: ``.`` or ``,`` where one of them must be the decimal mark, ``either`` where one
    mark with three digits after it may be the decimal mark or separate thousands, nothing where there is no separator.
    """

    body: str
    unit: str
    negative: bool
    marks: str
    thousands: bool


def written(text: str) -> Written | None:
    """What a text says if it is a number with separators or a unit.

    Examples
    --------
    >>> written("1.234,50 €").marks, written("12,40").marks, written("1,234").marks, written("1.2.3")
    (',', ',', 'either', None)
    """
    match = _WRITTEN.fullmatch(text.replace("\u2212", "-").replace("\u00a0", " ").replace("\u202f", " ").replace("’", "'"))
    if match is None or bool(match["open"]) != bool(match["close"]) or (match["sign"] and match["sign2"]):
        return None
    body, unit = match["body"], (match["before"] or "") + (match["mark"] or match["spaced"] or match["glued"] or "")
    thousands = False
    if " " in body or "'" in body:
        if not re.fullmatch(r"\d{1,3}((?: \d{3})+|(?:'\d{3})+)([.,]\d+)?", body):
            return None
        body, thousands = body.replace(" ", "").replace("'", ""), True
        marks = next((mark for mark in ",." if mark in body), "")
    else:
        found = _marks(body)
        if found is None:
            return None
        marks, grouped = found
        thousands = grouped
    negative = "-" in (match["sign"], match["sign2"]) or bool(match["open"])
    return Written(body + (match["exponent"] or ""), unit, negative, marks, thousands)


def _marks(body: str) -> tuple[str, bool] | None:
    """The decimal mark as far as one number tells it, and whether it surely has separators of thousands."""
    last = max(body.rfind("."), body.rfind(","))
    if last < 0:
        return "", False
    mark, other = body[last], ",."[body[last] == ","]
    if other in body:
        whole = body[:last]
        grouped = re.fullmatch(rf"\d{{1,3}}({re.escape(other)}\d{{3}})+", whole)
        return (mark, True) if grouped else None
    if body.count(mark) > 1:
        return (other, True) if re.fullmatch(rf"\d{{1,3}}({re.escape(mark)}\d{{3}})+", body) else None
    return ("either", False) if _GROUPED.fullmatch(body) else (mark, False)


def to_number(number: Written, decimal: str) -> float:
    """The value, with ``decimal`` as the decimal mark."""
    other = "," if decimal == "." else "."
    value = float(number.body.replace(other, "").replace(decimal, "."))
    return -value if number.negative else value


@dataclass
class Numbers:
    """A column's different texts as numbers.

    Attributes
    ----------
    values : float array
        NaN where a text is no number.
    wrong : bool array
        Texts that are no number.
    notes : set of str
        ``decimal commas``, ``thousands``; what was understood.
    unit : str
        What stands beside each number, and was taken off.
    problem : str
        Why the column cannot be read though its texts are numbers.
    """

    values: np.ndarray
    wrong: np.ndarray
    notes: set[str] = field(default_factory=set)
    unit: str = ""
    problem: str = ""
    offending: list[int] = field(default_factory=list)


def plain_numbers(texts: list[str]) -> np.ndarray | None:
    """All texts as floats, where each of them is one as programs write it; rounded correctly."""
    if any("_" in text for text in texts):  # a number to Python, and a code to everybody else
        return None
    try:
        return np.array(texts, dtype=object).astype(np.float64)
    except ValueError:
        return None


def read_numbers(texts: list[str], decimal: str | None, hint: str | None) -> Numbers:
    """Different texts of a column as numbers.

    Parameters
    ----------
    texts : list of str
        Without those that mean a missing value.
    decimal : {".", ","} or None
        The decimal mark, where the user says it.
    hint : {".", ","} or None
        The one that other columns of the table use, and no other.
    """
    values, wrong = np.full(len(texts), np.nan), np.zeros(len(texts), bool)
    numbers: dict[int, Written] = {}
    for place, text in enumerate(texts):
        if _INFINITE.fullmatch(text):
            values[place] = -np.inf if text[0] == "-" else np.inf
        elif (number := written(text)) is not None:
            numbers[place] = number
        elif PLAIN.fullmatch(text):
            values[place] = float(text)
        else:
            wrong[place] = True
    found = Numbers(values, wrong)
    _take_unit(found, numbers)
    mark = decimal or _decimal_mark(found, numbers, hint)
    for place, number in numbers.items():
        own = mark if mark != "both" else "," if number.marks == "," else "."
        values[place] = to_number(number, own)
        if number.marks and own == ",":
            found.notes.add("decimal commas")
        if number.thousands or (number.marks == "either" and own not in number.body):
            found.notes.add("thousands")
    return found


def _take_unit(found: Numbers, numbers: dict[int, Written]) -> None:
    """One unit that all numbers have is taken off; numbers with another one are no numbers, or a problem."""
    units = list(dict.fromkeys(number.unit for number in numbers.values())) or [""]
    if len(units) == 1:
        (found.unit,) = units
        return
    counts = {unit: [place for place, number in numbers.items() if number.unit == unit] for unit in units}
    usual = max(counts, key=lambda unit: len(counts[unit]))
    if usual == "":  # a letter that slipped in is no unit
        for unit, places in counts.items():
            if unit:
                found.wrong[places] = True
                for place in places:
                    del numbers[place]
        return
    found.problem = "numbers with different units: " + ", ".join(
        f"{len(places)} with {unit!r}" if unit else f"{len(places)} without one" for unit, places in counts.items()
    )
    found.offending = [place for unit, places in counts.items() if unit != usual for place in places]


def _decimal_mark(found: Numbers, numbers: dict[int, Written], hint: str | None) -> str:
    """``.``, ``,`` or ``both``; sets the problem where three digits after a mark may be either."""
    sure = {number.marks for number in numbers.values()} & {".", ","}
    unsure = {place: number for place, number in numbers.items() if number.marks == "either"}
    commas = [place for place, number in unsure.items() if "," in number.body]
    points = [place for place in unsure if place not in set(commas)]
    if len(sure) == 2:
        if unsure:
            found.problem, found.offending = (
                "points and commas both mark decimals, so thousands and decimals cannot be told apart",
                list(unsure),
            )
        return "both"
    if sure:
        return sure.pop()
    if not commas:  # only points, if anything: as programs write numbers, unless the table has decimal commas elsewhere
        return "," if hint == "," and points else "."
    if points:
        found.problem, found.offending = "a point and a comma with three digits after it, each once", list(unsure)
        return "."
    if hint:
        return hint
    plain = [number for number in numbers.values() if not number.marks]
    if plain and len(commas) < len(numbers) and max(abs(float(number.body)) for number in plain) >= 100:
        return "."  # 950 and 1,020: numbers go on where the separator begins
    found.problem, found.offending = "a comma with three digits after it separates thousands or marks decimals", commas
    return "."


def sure_marks(texts: Iterable[str]) -> set[str]:
    """Decimal marks that some texts show beyond doubt."""
    marks = set()
    for text in texts:
        if "." in text or "," in text:
            number = written(text)
            if number is not None and number.marks in (".", ","):
                marks.add(number.marks)
    return marks


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
