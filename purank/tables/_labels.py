"""Meanings of the values of label and truth: all are counted, and other values than positive and empty must be stated."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from purank.tables._columns import Column, is_missing_word
from purank.tables._findings import TableError, listed
from purank.tables._options import Reading

_TRUE = frozenset(["1", "yes", "y", "true", "t", "+1"])
_FALSE = frozenset(["0", "-1", "no", "n", "false", "f"])
_OPTIONS = {"pos_label": "positive", "neg_label": "negative", "unlabeled_label": "unlabeled", "drop_label": "left out"}
_Y = {"positive": 1, "unlabeled": 0, "negative": -1, "left out": 0}


def given_meanings(options: Reading) -> dict[str, str]:
    """Return the meanings that the user gives to label values: each option has one or more, as texts or numbers."""
    given: dict[str, str] = {}
    for option, meaning in _OPTIONS.items():
        values = getattr(options, option)
        several = values if isinstance(values, list | tuple | set | frozenset | np.ndarray) else [values]
        for text in (_plain(value) for value in several if value is not None):
            if given.setdefault(text, meaning) != meaning:
                raise TableError(f"the label {text!r} is given two meanings; expected one of {', '.join(_OPTIONS)}")
    return given


def _plain(value: Any) -> str:
    """One spelling per value: 1, 1.0 and "1" are the same label."""
    text = str(value).strip()
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return text
    return str(int(number)) if number.is_integer() else str(number)


def values_of(column: Column, stated: Collection[str] = ()) -> tuple[list[str], np.ndarray]:
    """The different labels as plain texts, and each row's; -1 for an empty cell, or a word for one that is not ``stated``."""
    texts = [_plain(level) for level in column.levels]
    empty = is_missing_word(texts, (), words=True, kept=set(stated) - {""})
    codes, order = pd.factorize(pd.Series(texts, dtype=object).mask(empty))
    return list(order), np.append(codes, -1)[column.codes]


def _counts(texts: Sequence[str], codes: np.ndarray) -> dict[str, int]:
    """Return the number of rows with each label, empty cells last."""
    n_empty, *others = np.bincount(codes + 1, minlength=len(texts) + 1).tolist()
    return dict(zip(texts, others, strict=True)) | ({"": n_empty} if n_empty else {})


def read_labels(
    column: Column, given: Mapping[str, str], lines: np.ndarray, unit: str
) -> tuple[np.ndarray, np.ndarray, dict[str, tuple[int, str]]]:
    """1 for labeled rows, 0 for unlabeled ones, -1 for known negatives; which rows stay; count and meaning of each value.

    Raises
    ------
    TableError
        For a value whose meaning is not certain, with all values and how many rows each has.
    """
    texts, codes = values_of(column, given)
    counts = _counts(texts, codes)
    for text in sorted({*given} - {*counts}):
        option = next(option for option, meaning in _OPTIONS.items() if meaning == given[text])
        raise TableError(
            f"no {text!r} in column {column.name!r}, the label, as {option} says; it contains {_counted(counts)}",
            column=column.name,
            values=counts,
            remedy=f"{option}= gives a value as written there",
        )
    meaning = {"": "unlabeled", **given}
    unclear = [text for text in texts if text not in meaning]
    sure = any(meaning.get(text) == "unlabeled" for text in counts)  # some rows are, without the unclear ones
    if "positive" not in given.values():
        positive = [text for text in unclear if text.lower() in _TRUE]
        if len(unclear) == 1 and sure and unclear[0].lower() not in _FALSE:
            positive = unclear
        if len(positive) == 1:
            meaning[positive[0]], unclear = "positive", [text for text in unclear if text != positive[0]]
    if len(unclear) == 1 and not sure and ("positive" in given.values() or unclear[0].lower() in _FALSE):  # the only other one
        meaning[unclear.pop()] = "unlabeled"
    if unclear:
        single = [lines[codes == code][0] for code, text in [*enumerate(texts), (-1, "")] if counts.get(text) == 1]
        where = f"{unit}{'s' * (len(single) > 1)} {listed(single)}" if single else ""
        _raise_unclear(column.name, counts, unclear, meaning, where)
    y = np.array([_Y[meaning[text]] for text in [*texts, ""]], np.int8)[codes]
    keep = np.array([meaning[text] != "left out" for text in [*texts, ""]])[codes]
    for value, what in ((1, "labeled"), (0, "unlabeled")):
        if not (y[keep] == value).any():
            raise TableError(
                f"column {column.name!r}, the label, has no {what} row; it contains {_counted(counts)}",
                column=column.name,
                values=counts,
                remedy="pos_label= says what labeled rows have there; all others are empty, 0 or have one other value",
            )
    return y, keep, {text: (count, meaning[text]) for text, count in counts.items()}


def _raise_unclear(
    name: str, counts: Mapping[str, int], unclear: Sequence[str], meaning: Mapping[str, str], single: str
) -> NoReturn:
    known = [f"{text!r} as {what}" for text, what in meaning.items() if text in counts and text]
    understood = f" ({listed(known)})" if known else ""
    positive = "" if "positive" in meaning.values() else "pos_label= for labeled rows, "
    several = f"{len(counts)} different values" if len(counts) > 1 else "one value"
    whose = f"{unclear[0]!r}" if len(unclear) == 1 else "each of them"
    raise TableError(
        f"column {name!r}, the label, has {several}: {_counted(counts)}; expected one for labeled rows"
        f" and one for all others{understood}",
        column=name,
        values=counts,
        remedy=f"Say what {whose} means: {positive}neg_label= for known negatives, unlabeled_label= if nothing is known,"
        " drop_label= to leave such rows out"
        + (f". Or remove {single} from the file, if no case is there but units, names or a note" if single else ""),
    )


def _counted(counts: Mapping[str, int]) -> str:
    return listed((f"{repr(text) if text else 'nothing'} in {n:,} row{'s' * (n > 1)}" for text, n in counts.items()), 10)


def read_truth(column: Column, labels: Mapping[str, tuple[int, str]]) -> np.ndarray:
    """1 and 0 for rows whose truth is known, and NaN for all others; the words are those of the label, or plain ones."""
    stated = [text for text, (_, meaning) in labels.items() if meaning in ("positive", "negative")]
    texts, codes = values_of(column, stated)
    wanted = [text for text in stated if labels[text][1] == "positive"]
    positive = [text for text in texts if text in wanted]
    plain = all(text.lower() in _TRUE | _FALSE for text in texts) and not any(text.lower() in _FALSE for text in wanted)
    if not positive and plain:
        positive = [text for text in texts if text.lower() in _TRUE]
    if not (len(positive) == 1 and len(texts) <= 2) and not (plain and len(texts) == 1):
        counts = {text: n for text, n in _counts(texts, codes).items() if text}
        raise TableError(
            f"column {column.name!r}, the truth, must hold {' or '.join(map(repr, sorted(wanted))) or '1'} for positive rows,"
            f" one other value for negative ones, and nothing for all others; it contains {_counted(counts) or 'nothing'}",
            column=column.name,
            values=counts,
            remedy="The label and the truth have what pos_label= says for positives",
        )
    return np.array([*(float(text in positive) for text in texts), np.nan])[codes]
