"""Formatting of numbers."""

from __future__ import annotations

from collections.abc import Iterable


def signed(value: float, decimals: int = 1) -> str:
    """Format a number with its sign, except for zero.

    >>> signed(-0.04), signed(2.25), signed(-3)
    ('0.0', '+2.2', '−3.0')
    """
    text = f"{value:+.{decimals}f}".replace("-", "−")
    return text[1:] if float(f"{value:.{decimals}f}") == 0 else text


def plain_number(value: float, digits: int = 1) -> str:
    """Format a number without a plus sign or the sign of a zero.

    >>> plain_number(-0.04), plain_number(-2.5)
    ('0.0', '−2.5')
    """
    return signed(value, digits).removeprefix("+")


def shortened(places: Iterable[str]) -> str:
    """Join the first four items and count the rest."""
    named = list(places)
    return "; ".join(named[:4]) + (f"; and {len(named) - 4} more" if len(named) > 4 else "")
