"""Spellings of a missing value."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

#: Spellings of a missing value in any column, in lower case.
# fmt: off
MISSING = frozenset([
    "", "na", "n/a", "n.a.", "n.a", "n/d", "#n/a", "#na", "nan", "-nan", "null", "(null)", "<na>", "nat", "?", "-",
    "--", "---", "–", "—", ".", "..", "...", "\\n", "#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!", "#n/v",
])
#: Words that mean a missing value where all others are numbers or dates; in a column of categories each is a category.
MISSING_WORDS = frozenset([
    "none", "nil", "missing", "empty", "unknown", "unk", "not available", "not applicable", "not known", "not recorded",
    "not measured", "blank", "no data", "no value", "nd", "n.d.", "undefined", "tbd", "k.a.", "keine angabe",
    "unbekannt", "inconnu", "xxx", "*",
])
# fmt: on


def is_missing_word(
    texts: Collection[str], extra: Collection[str], *, words: bool, kept: Collection[str] = frozenset()
) -> np.ndarray:
    """Which texts mean a missing value; ``words`` counts those that could be categories, too, and ``kept`` mean none."""
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
