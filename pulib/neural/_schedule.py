"""The schedule of Self-PU: when its stages begin and end, and their weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from numbers import Integral, Real
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """The schedule of the published code; :class:`pulib.neural.SelfPUClassifier` documents its fields."""

    pace: tuple[int, int, int] = (10, 50, 10)
    pace_length: int = 100
    shares: tuple[float, float] = (0.4, 0.6)
    teacher_start: int = 50
    teacher_decay: float = 0.999
    consistency: float = 0.3
    consistency_length: int = 400
    distillation: float = 0.1


def _whole(value: Any, least: int) -> bool:
    return isinstance(value, Integral) and int(value) >= least


def _number(value: Any, most: float = float("inf")) -> bool:
    return isinstance(value, Real) and 0 <= float(value) <= most


def _several(value: Any, n: int) -> bool:
    return isinstance(value, tuple | list) and len(value) == n


#: For each field, a test of accepted values, and its description.
_ACCEPTED: dict[str, tuple[Any, str]] = {
    "pace": (
        lambda v: _several(v, 3) and all(_whole(part, 0) for part in v) and v[2] >= 1,
        "three epochs (start, stop, every) with every >= 1",
    ),
    "pace_length": (lambda v: _whole(v, 1), "a whole number >= 1"),
    "shares": (lambda v: _several(v, 2) and all(_number(part, 1.0) for part in v), "two numbers in [0, 1], one per student"),
    "teacher_start": (lambda v: _whole(v, 0), "a whole number >= 0"),
    "teacher_decay": (lambda v: _number(v, 1.0) and v < 1, "a number in [0, 1)"),
    "consistency": (_number, "a number >= 0"),
    "consistency_length": (lambda v: _whole(v, 0), "a whole number >= 0"),
    "distillation": (_number, "a number >= 0"),
}


def schedule_of(changes: Mapping[str, Any] | None) -> Schedule:
    """Return the published schedule with some changes; an unknown name or an invalid value raises an error.

    Examples
    --------
    >>> from pulib.neural._schedule import schedule_of
    >>> schedule_of({"teacher_start": 5}).teacher_start, schedule_of(None).teacher_start
    (5, 50)
    """
    known = [field.name for field in fields(Schedule)]
    given = dict(changes or {})
    for name, value in given.items():
        if name not in known:
            raise ValueError(f"schedule: unknown name {name!r}; expected some of {known}")
        accepted, words = _ACCEPTED[name]
        if not accepted(value):
            raise ValueError(f"schedule: {name}={value!r}; expected {words}")
    fixed: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    return Schedule(**fixed)
