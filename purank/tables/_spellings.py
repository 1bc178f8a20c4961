"""Cells that are no plain value: spellings of a missing one, and limits of detection."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from purank.tables._findings import listed
from purank.tables._numbers import PLAIN, written

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


_LIMIT = re.compile(r"(<=|=<|>=|=>|[<>≤≥⩽⩾＜＞])\s*(?=.*\d)(.+)", re.DOTALL)


def limits_in(texts: Sequence[str]) -> np.ndarray:
    """-1 for each text that says "below a number", 1 for "above a number", and 0 for all others."""
    parts = [limit_of(text) for text in texts]
    numeric = [sign and (PLAIN.fullmatch(bare) or written(bare) is not None) for sign, bare in parts]
    return np.array([sign if number else 0 for (sign, _), number in zip(parts, numeric, strict=True)], dtype=int)


def limit_of(text: str) -> tuple[int, str]:
    """-1 for a cell that says "below a number", 1 for one that says "above", else 0; and the number as it is written.

    Examples
    --------
    >>> limit_of("< 0.5"), limit_of("≥100 mg"), limit_of("0.5")
    ((-1, '0.5'), (1, '100 mg'), (0, '0.5'))
    """
    match = _LIMIT.fullmatch(text)
    if match is None:
        return 0, text
    return (1 if match[1][0] in ">≥⩾＞" or match[1] == "=>" else -1), match[2]


def remedy_for_numbers(name: str, wrong: list[str]) -> str:
    """What to do about cells that are no numbers: detection limits are not missing, other texts may be."""
    limits = limits_in(wrong)
    others = [text for text, sign in zip(wrong, limits, strict=True) if not sign]
    remedies = []
    if limits.any():
        spelled = listed(repr(text) for text, sign in zip(wrong, limits, strict=True) if sign)
        remedies.append(
            f"limits='half' reads {spelled} as half the limit (limits='limit' as the limit; above a limit, both do) and marks"
            " such cells in a column of their own"
        )
    if others:
        if any(text[0] in "<>≤≥" for text in others):
            remedies.append("a detection limit needs its number, as in '<0.5'")
        words = "[" + listed(map(repr, others)) + "]"
        remedies.append(f"{'Correct them' if not remedies else 'correct the others'}; missing={words} reads them as missing")
    ending = f", kinds={{{name!r}: 'category'}} takes all as categories"
    return "; ".join(remedies) + ending
