"""Generated sentences: Jinja templates hold the English and are filled from records of numbers.

A template calls ``say`` once per sentence::

    {% call say(figure="figure_costs", table="table_costs") %}The slowest learner takes {{ slowest }} s.{% endcall %}
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PackageLoader, StrictUndefined

from pulab.tables.numerals import plain_number


class Sentence(NamedTuple):
    """Text of a bullet, and the names of the figure and table that show it."""

    text: str
    figure: str
    table: str


class Range(NamedTuple):
    """Minimum and maximum of some numbers."""

    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Range:
        return cls(min(values), max(values))


def listing(items: Sequence[Any], write: str | Callable[[Any], str] = "{0}") -> str:
    """Join items with commas and "and", each formatted by a format string or a macro.

    >>> listing(["a"]), listing(["a", "b"]), listing(["a", "b", "c"], "*{0}*")
    ('a', 'a and b', '*a*, *b*, and *c*')
    >>> listing([Range(1, 2), Range(3, 4)], "from {0.low} to {0.high}")
    'from 1 to 2 and from 3 to 4'
    """
    texts = [write.format(item) if isinstance(write, str) else str(write(item)) for item in items]
    return " and ".join(texts) if len(texts) < 3 else f"{', '.join(texts[:-1])}, and {texts[-1]}"


def between(numbers: Range, digits: int = 0) -> str:
    """Format a range, or one number if both ends are the same.

    >>> between(Range(3, 3)), between(Range(3.42, 5.4), digits=1)
    ('3', '3.4 to 5.4')
    """
    low, high = (f"{value:.{digits}f}" for value in numbers)
    return low if low == high else f"{low} to {high}"


def counted(n: float | Range, noun: str) -> str:
    """Format a number or a range with its noun.

    >>> counted(1, "task"), counted(1.5, "task"), counted(Range(2, 8), "task")
    ('1 task', '1.5 tasks', '2 to 8 tasks')
    """
    number = between(n) if isinstance(n, Range) else f"{n:.3g}"
    return f"{number} {noun if number == '1' else noun + 's'}"


def sentence_case(text: str) -> str:
    """Capitalize the first letter only.

    >>> sentence_case("labels on MNIST")
    'Labels on MNIST'
    """
    return text[:1].upper() + text[1:]


_LOADER = PackageLoader("pulab.reports")
_ENVIRONMENT = Environment(loader=_LOADER, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
_ENVIRONMENT.filters |= {"counted": counted, "listing": listing, "number": plain_number, "sentence_case": sentence_case}


def text_of(template: str | Path, **records: Any) -> str:
    """Render a template (one of ours by name, or a file) to Markdown; a missing record raises an error."""
    if isinstance(template, str):
        return _ENVIRONMENT.get_template(template).render(records)
    loader = ChoiceLoader([FileSystemLoader(template.parent), _LOADER])
    return _ENVIRONMENT.overlay(loader=loader).get_template(template.name).render(records)


def sentences(template: Path, **records: Any) -> list[Sentence]:
    """Return the sentences of a rendered template; a missing record raises an error."""
    said: list[Sentence] = []

    def say(caller: Callable[[], str], table: str = "", figure: str = "") -> str:
        said.append(Sentence(" ".join(caller().split()), figure, table))
        return ""

    text_of(template, say=say, **records)
    return said
