"""Options of biased labels, for the mechanism and the schemes that use it."""

from __future__ import annotations

from typing import Literal, get_args

Bias = Literal["posterior", "boundary"]


def check_bias(kind: str, power: float) -> None:
    if kind not in get_args(Bias):
        raise ValueError(f"kind={kind!r}; expected one of {get_args(Bias)}")
    if not power > 0:
        raise ValueError(f"power={power}; expected a number above 0")
