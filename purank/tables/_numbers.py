"""Numbers as people write them: decimal commas, separators of thousands, units."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

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
        The unit or currency of each number, which was taken off.
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


def sentinel(values: np.ndarray) -> tuple[float, int] | None:
    """A number such as -999 or 9999 that lies further from all others than they do from each other, and its count."""
    levels, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    for place, others in ((0, levels[1:]), (-1, levels[:-1])):
        if len(others) > 1 and counts[place] > 1 and re.fullmatch(r"-?9{2,7}", f"{levels[place]:.0f}"):
            gap = np.abs(others - levels[place]).min()
            if gap > others[-1] - others[0]:
                return float(levels[place]), int(counts[place])
    return None
