"""What the cells of the label and of the truth mean: every value is counted, and each but positive and empty needs a word."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from purank.tables._columns import Column
from purank.tables._findings import TableError, listed
from purank.tables._spellings import is_missing_word

_TRUE = frozenset(["1", "yes", "y", "true", "t", "+1"])
_FALSE = frozenset(["0", "-1", "no", "n", "false", "f"])
LABELED, UNLABELED, NEGATIVE = 1, 0, -1


@dataclass(frozen=True)
class Words:
    """Values that the user gives a meaning, as written in the file."""

    positive: frozenset[str]
    negative: frozenset[str]
    unlabeled: frozenset[str]
    dropped: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        return self.positive | self.negative | self.unlabeled | self.dropped


def words(pos: Any, neg: Any, unlabeled: Any, dropped: Any) -> Words:
    """Each a value or several, as texts or numbers."""
    sets = [frozenset(_plain(value) for value in _several(given)) for given in (pos, neg, unlabeled, dropped)]
    taken: dict[str, int] = {}
    for place, values in enumerate(sets):
        for value in values:
            if taken.setdefault(value, place) != place:
                raise TableError(
                    f"the label {value!r} is given two meanings; expected one of pos_label, neg_label, unlabeled_label and"
                    " drop_label"
                )
    return Words(*sets)


def _several(given: Any) -> list[Any]:
    if given is None:
        return []
    return list(given) if isinstance(given, list | tuple | set | frozenset | np.ndarray) else [given]


def _plain(value: Any) -> str:
    """One spelling per value: 1, 1.0 and "1" are the same label."""
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).lower()
    text = str(value).strip()
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return text
    return str(int(number)) if number.is_integer() else str(number)


def values_of(column: Column, stated: Collection[str] = frozenset()) -> tuple[list[str], np.ndarray]:
    """The different labels as plain texts, and each row's; -1 for an empty cell, or a word for one that is not ``stated``."""
    texts = [_plain(level) if str(level) != "nan" else "" for level in column.levels]
    if column.kind == "boolean":
        texts = [{"1": "true", "0": "false"}[text] if text else text for text in texts]
    empty = is_missing_word(texts, (), words=True, kept=set(stated) - {""})
    order = list(dict.fromkeys(text for text, gone in zip(texts, empty, strict=True) if not gone))
    place = {text: number for number, text in enumerate(order)}
    codes = np.array([-1 if gone else place[text] for text, gone in zip(texts, empty, strict=True)] + [-1])[column.codes]
    return order, codes


def read_labels(column: Column, given: Words) -> tuple[np.ndarray, np.ndarray, dict[str, int], dict[str, str]]:
    """1 for labeled rows, 0 for unlabeled ones, -1 for known negatives; which rows stay; counts; meanings.

    Raises
    ------
    TableError
        For a value whose meaning is not certain, with all values and how many rows each has.
    """
    texts, codes = values_of(column, given.all)
    counts = {
        text: int(count)
        for text, count in zip([*texts, ""], np.bincount(codes % (len(texts) + 1), minlength=len(texts) + 1), strict=True)
    }
    if not counts[""]:
        del counts[""]
    _check_given(column.name, given, counts)
    meaning = {**dict.fromkeys(given.positive, "positive"), **dict.fromkeys(given.negative, "negative"), "": "unlabeled"}
    meaning |= dict.fromkeys(given.unlabeled, "unlabeled") | dict.fromkeys(given.dropped, "left out")
    open_ = [text for text in texts if text not in meaning]
    if not given.positive:
        positive = _find_positive(column.name, open_, counts, bool(given.unlabeled) or "" in counts)
        meaning[positive], open_ = "positive", [text for text in open_ if text != positive]
    sure = "" in counts or given.unlabeled
    if len(open_) == 1 and not sure and (given.positive or open_[0].lower() in _FALSE):  # the only other one
        meaning[open_[0]], open_ = "unlabeled", []
    if open_:
        _raise_unclear(column.name, counts, open_, meaning)
    number = {"positive": LABELED, "unlabeled": UNLABELED, "negative": NEGATIVE, "left out": UNLABELED}
    y = np.array([number[meaning[text]] for text in [*texts, ""]], np.int8)[codes]
    keep = np.array([meaning[text] != "left out" for text in [*texts, ""]])[codes]
    for value, what in ((LABELED, "labeled"), (UNLABELED, "unlabeled")):
        if not (y[keep] == value).any():
            raise TableError(
                f"column {column.name!r}, the label, has no {what} row; it contains {_counted(counts)}",
                column=column.name,
                values=counts,
                remedy="pos_label= says what labeled rows have there; all others are empty, 0 or have one other value",
            )
    return y, keep, counts, {text: meaning[text] for text in counts}


def _check_given(name: str, given: Words, counts: dict[str, int]) -> None:
    for option, values in (
        ("pos_label", given.positive),
        ("neg_label", given.negative),
        ("unlabeled_label", given.unlabeled),
        ("drop_label", given.dropped),
    ):
        absent = sorted(values - set(counts))
        if absent:
            raise TableError(
                f"no {absent[0]!r} in column {name!r}, the label, as {option} says; it contains {_counted(counts)}",
                column=name,
                values=counts,
                remedy=f"{option}= gives a value as written there",
            )


def _find_positive(name: str, texts: Sequence[str], counts: dict[str, int], unlabeled_known: bool) -> str:
    """The value that must mean "labeled" where nobody says so: 1, yes or true; or the only one among empty cells."""
    by_meaning = [text for text in texts if text.lower() in _TRUE]
    if len(by_meaning) == 1:
        return by_meaning[0]
    if len(texts) == 1 and unlabeled_known and texts[0].lower() not in _FALSE:
        return texts[0]
    _raise_unclear(name, counts, texts, {"": "unlabeled"})


def _raise_unclear(name: str, counts: dict[str, int], unclear: Sequence[str], meaning: dict[Any, str]) -> NoReturn:
    known = [f"{text!r} as {what}" for text, what in meaning.items() if text in counts and text]
    understood = f" ({listed(known)})" if known else ""
    positive = "" if "positive" in meaning.values() else "pos_label= for labeled rows, "
    whose = f"{unclear[0]!r}" if len(unclear) == 1 else "each of them"
    raise TableError(
        f"column {name!r}, the label, has {len(counts)} different values: {_counted(counts)}; expected one for labeled rows"
        f" and one for all others{understood}",
        column=name,
        values=counts,
        remedy=f"Say what {whose} means: {positive}neg_label= for known negatives, unlabeled_label= if nothing is known,"
        " drop_label= to leave such rows out",
    )


def _counted(counts: dict[str, int]) -> str:
    return listed(
        (f"{repr(text) if text else 'nothing'} in {count:,} row{'s' * (count > 1)}" for text, count in counts.items()), 10
    )


def read_truth(column: Column, given: Words) -> np.ndarray:
    """1 and 0 for rows whose truth is known, NaN for all others."""
    texts, codes = values_of(column, given.positive | given.negative)
    counts = dict(zip(texts, np.bincount(codes[codes >= 0], minlength=len(texts)).tolist(), strict=True))
    positive = [text for text in texts if text in given.positive] or [text for text in texts if text.lower() in _TRUE]
    if given.positive and not set(positive) & given.positive and len(texts) > 1:
        positive = []
    negative = [text for text in texts if text not in positive]
    if len(positive) != 1 or len(negative) > 1:
        wanted = " or ".join(map(repr, sorted(given.positive))) or "1"
        raise TableError(
            f"column {column.name!r}, the truth, must hold {wanted} for positive rows, one other value for negative ones,"
            f" and nothing for all others; it contains {_counted(counts) or 'nothing'}",
            column=column.name,
            values=counts,
            remedy="The label and the truth have what pos_label= says for positives",
        )
    return np.array([float(text in positive) for text in texts] + [np.nan])[codes]
