"""Sentences about the level field, and the words that all of them are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from pulab.tables.levelfield import Field, interval_text, plain_number

#: Tasks below which a mean over them says nothing of others.
FEWEST_TASKS = 3


class Sentence(NamedTuple):
    """A sentence with the names of the figure and the table that it is about.

    Advice (docs/choosing.md) rests on the ``brief`` ones; the study's page has all of them.
    """

    text: str
    figure: str
    table: str
    brief: bool = False


def tasks_text(n: int) -> str:
    """How many tasks a mean is over, with a warning where they are too few to speak of others.

    >>> tasks_text(1), tasks_text(8)
    ('1 task (too few to speak of others)', '8 tasks')
    """
    counted = f"{n} task" if n == 1 else f"{n} tasks"
    return f"{counted} (too few to speak of others)" if n < FEWEST_TASKS else counted


def name_of(field: Field, method: str) -> str:
    """A method's name, set apart, since some have commas."""
    return f"*{field.label(method)}*"


def interval_of(found: pd.Series) -> str:
    """A row of :func:`~pulab.tables.levelfield.over_tasks` as a mean with its interval."""
    return interval_text(found["mean"], found["low"], found["high"])


def listed(names: Sequence[str]) -> str:
    """Words with commas and an "and".

    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def span(least: float, most: float, digits: int = 0) -> str:
    """One number, or the two that others lie between.

    >>> span(3, 3), span(3.42, 5.4, digits=1)
    ('3', '3.4 to 5.4')
    """
    low, high = f"{least:.{digits}f}", f"{most:.{digits}f}"
    return low if low == high else f"{low} to {high}"


def change(lost: float, verbs: tuple[str, str] = ("costs", "gains")) -> str:
    """What something costs, or gains where it costs less than nothing, in points.

    >>> change(2.04), change(-1.1), change(-0.04, ("lose", "gain"))
    ('costs 2.0 points', 'gains 1.1 points', 'lose 0.0 points')
    """
    text = plain_number(lost)
    return f"{verbs[1]} {text.removeprefix('−')} points" if text.startswith("−") else f"{verbs[0]} {text} points"
