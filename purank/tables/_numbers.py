"""Numbers as people write them: decimal commas, separators of thousands, units, and limits of detection."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from purank.tables._columns import Found

_CURRENCY = (
    r"(?:[A-Z]{0,3}[€$£¥₹₽₺₩₪₫₴₦฿]|USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|BRL|CZK|HUF|RUB|TRY|MXN|KRW|AUD|CAD|NZD"
    r"|Fr\.|kr\.?|Rs\.?|zł|Kč|Ft)"
)
_WRITTEN = re.compile(
    rf"(?P<open>\()?(?P<sign>[+-]?)\s*(?P<before>{_CURRENCY})?\s*(?P<sign2>[+-]?)\s*"
    r"(?P<body>\d[\d.,' ]*\d|\d|[.,]\d+)(?P<exponent>[eE][+-]?\d+)?"
    rf"(?:\s*(?P<mark>%|‰|°[CF]?|{_CURRENCY}|)|\s+(?P<spaced>[A-Za-zµμ°²³/%]{{1,8}})|(?P<glued>[A-Za-zµμ]{{1,3}}))(?P<close>\))?"
)
_INFINITE = re.compile(r"([+-]?)(inf|infinity|∞)", re.IGNORECASE)
#: A number by its decimal mark; three digits after the other mark, a space or an apostrophe are thousands; in India, so are two
#: digits between commas.
_BODY = {
    mark: re.compile(rf"(\d+|[1-9]\d{{0,2}}(?P<group>[{other} '])\d{{3}}((?P=group)\d{{3}})*{indian})?([{mark}]\d+)?")
    for mark, other, indian in ((".", ",", r"|[1-9]\d?(,\d\d)+,\d{3}"), (",", ".", ""))
}
_SAME = str.maketrans(dict(zip("\u2010\u2011\u2012\u2013\u2212\u00a0\u2007\u2009\u202f’", "-----    '", strict=True)))
_ALIKE = str.maketrans("23456789", "1" * 8)  # of a number's form, only zeros matter
_LIMIT = re.compile(r"(<=|=<|>=|=>|[<>≤≥⩽⩾＜＞])\s*(?=.*\d)(.+)", re.DOTALL)


@dataclass
class Written:
    """A number as written, and its value under each decimal mark; NaN if it would not be a number."""

    body: str
    unit: str
    value: dict[str, float]


def written(text: str) -> Written | None:
    """Parse a text as a number, with separators or a unit.

    Examples
    --------
    >>> [written(text).value for text in ("1.234,50 €", "1,234")]
    [{'.': nan, ',': 1234.5}, {'.': 1234.0, ',': 1.234}]
    """
    # SAP puts the minus last; after a whole number it may be a grade
    text = re.sub(r"^(\d[\d.,' ]*[.,]\d+)-$", r"-\1", text.translate(_SAME))
    if match := _INFINITE.fullmatch(text):
        return Written("", "", dict.fromkeys(".,", float(f"{match[1]}inf")))
    match = _WRITTEN.fullmatch(text[:-1] if re.fullmatch(r"[+-]?\d+\.", text) else text)
    if match is None or bool(match["open"]) != bool(match["close"]) or (match["sign"] and match["sign2"]):
        return None
    body, unit = match["body"], (match["before"] or "") + (match["mark"] or match["spaced"] or match["glued"] or "")
    negative = "-" in (match["sign"], match["sign2"]) or match["open"]
    value = {}
    for mark, other in ((".", ","), (",", ".")):
        value[mark] = np.nan
        if _BODY[mark].fullmatch(body):
            digits = re.sub(f"[{other} ']", "", body).replace(mark, ".")
            value[mark] = float(digits + (match["exponent"] or "")) * (-1 if negative else 1)
    return None if np.isnan(list(value.values())).all() else Written(body, unit, value)


def plain_numbers(texts: list[str]) -> np.ndarray | None:
    """Return all texts as correctly rounded floats if each is written as programs write numbers."""
    if any("_" in text for text in texts):  # a number to Python, and a code to everybody else
        return None
    try:
        return np.array(texts, dtype=object).astype(np.float64)
    except ValueError:
        return None


def read_numbers(texts: Sequence[str], decimal: str | None = None, hint: str | None = None) -> Found:
    """Read the distinct texts of a column as numbers.

    Parameters
    ----------
    texts : list of str
        Without those that mean a missing value.
    decimal : {".", ","} or None
        The decimal mark where the texts leave it open, as the user says.
    hint : {".", ","} or None
        The one that other columns of the table use, and no other.
    """
    numbers = [written(text) for text in texts]
    points, commas = (np.array([number.value[mark] if number else np.nan for number in numbers]) for mark in ".,")
    problem, offending, unit = _unit(np.array([number.unit if number else "" for number in numbers], object), points, commas)
    mark, remedy = "", "Bring them to one unit"
    if not problem:
        remedy = "Write them alike" if decimal else "decimal='.' or decimal=',' sets the decimal mark"
        mark, problem, offending = _decimal_mark(texts, points, commas, decimal, hint)
    values = np.where(np.isnan(points), commas, points) if mark == "both" else commas if mark == "," else points
    found = Found(values, problem, offending, remedy, unit)
    for number, value, point in zip(numbers, values, points, strict=True):
        if number is not None and not np.isnan(value):
            own = mark if mark != "both" else "," if np.isnan(point) else "."
            if own == "," and "," in number.body:
                found.notes.add("decimal commas")
            if {*number.body} & ({".", " ", "'"} if own == "," else {",", " ", "'"}):
                found.notes.add("thousands")
    return found


def _unit(units: np.ndarray, points: np.ndarray, commas: np.ndarray) -> tuple[str, list[int], str]:
    """One unit that all numbers have; numbers with another one are no numbers, or a problem."""
    numbers = ~(np.isnan(points) & np.isnan(commas))
    counts = {unit: int(np.sum(units[numbers] == unit)) for unit in dict.fromkeys(units[numbers])} or {"": 0}
    usual = max(counts, key=counts.__getitem__)
    others = np.flatnonzero(numbers & (units != usual)).tolist()
    if usual and others:
        spelled = ", ".join(f"{n} with {unit!r}" if unit else f"{n} without one" for unit, n in counts.items())
        return f"numbers with different units: {spelled}", others, ""
    points[others] = commas[others] = np.nan  # a letter that slipped in is no unit
    return "", [], usual


def _decimal_mark(
    texts: Sequence[str], points: np.ndarray, commas: np.ndarray, decimal: str | None, hint: str | None
) -> tuple[str, str, list[int]]:
    """``.``, ``,`` or ``both``, or the problem where three digits after a mark may be either, with the texts."""
    unsure = (points != commas) & ~np.isnan(points) & ~np.isnan(commas)
    sure = _sure(points, commas) | ({decimal} if decimal else set())
    places = np.flatnonzero(unsure).tolist()
    with_comma = [place for place in places if "," in texts[place]]
    if len(sure) == 2:
        problem = "points and commas both mark decimals, so thousands and decimals cannot be told apart" if unsure.any() else ""
        return "both", problem, places
    if sure:
        return sure.pop(), "", places
    going_on = np.abs(points[~unsure & ~np.isnan(points)]).max(initial=0) >= 100  # 950 and 1,020: where the separator begins
    if not with_comma:  # only points, if anything: as programs write numbers, unless the table has decimal commas elsewhere
        problem = "a point with three digits after it separates thousands or marks decimals"
        return "," if hint == "," and unsure.any() else ".", problem if places and going_on and not hint else "", places
    if len(with_comma) < len(places):
        return ".", "a point and a comma with three digits after it, each once", places
    if hint or going_on:
        return hint or ".", "", places
    return ".", "a comma with three digits after it separates thousands or marks decimals", places


def _sure(points: np.ndarray, commas: np.ndarray) -> set[str]:
    """Return the decimal marks that some texts require: with the other mark, they are not numbers."""
    return {
        mark for mark, own, other in ((".", points, commas), (",", commas, points)) if (~np.isnan(own) & np.isnan(other)).any()
    }


def table_mark(columns: Iterable[Sequence[str]]) -> str | None:
    """The decimal mark of the whole table, where texts of its columns show one beyond doubt and not the other."""
    shapes = {text.translate(_ALIKE) for column in columns for text in column if "." in text or "," in text}
    numbers = [number for shape in shapes if (number := written(shape))]
    marks = _sure(*(np.array([number.value[mark] for number in numbers]) for mark in ".,"))
    return marks.pop() if len(marks) == 1 else None


def sentinel(values: np.ndarray) -> tuple[float, int] | None:
    """A number such as -999 or 9999 that lies further from all others than they do from each other, and its count."""
    levels, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    for place, others in ((0, levels[1:]), (-1, levels[:-1])):
        nines = len(others) > 1 and counts[place] > 1 and re.fullmatch(r"-?9{2,7}", f"{levels[place]:.0f}")
        if nines and np.abs(others - levels[place]).min() > others[-1] - others[0]:
            return float(levels[place]), int(counts[place])
    return None


def limit_of(text: str) -> tuple[int, str]:
    """-1 for a cell that says "below a number", 1 for one that says "above", else 0; and the number as it is written.

    Examples
    --------
    >>> limit_of("< 0.5"), limit_of("≥100 mg"), limit_of("0.5"), limit_of("<LOQ2")
    ((-1, '0.5'), (1, '100 mg'), (0, '0.5'), (0, '<LOQ2'))
    """
    match = _LIMIT.fullmatch(text)
    if match is None or written(match[2]) is None:
        return 0, text
    return (1 if match[1][0] in ">≥⩾＞" or match[1] == "=>" else -1), match[2]
