"""Numbers as people read them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np


def signed(value: float, decimals: int = 1) -> str:
    """With its sign, but for a zero.

    >>> signed(-0.04), signed(2.25), signed(-3)
    ('0.0', '+2.2', '−3.0')
    """
    text = f"{value:+.{decimals}f}".replace("-", "−")
    return text[1:] if float(f"{value:.{decimals}f}") == 0 else text


def plain_number(value: float, digits: int = 1) -> str:
    """Without the sign of a zero.

    >>> plain_number(-0.04), plain_number(-2.5)
    ('0.0', '−2.5')
    """
    return signed(value, digits).removeprefix("+")


def interval_text(mean: float, low: float, high: float, *, with_sign: bool = False) -> str:
    """A mean with its interval in brackets.

    >>> interval_text(93.14, 91.0, 95.26), interval_text(-1.5, -3.0, 0.04, with_sign=True), interval_text(2.0, np.nan, np.nan)
    ('93.1 [91.0, 95.3]', '−1.5 [−3.0, 0.0]', '2.0')
    """
    write = signed if with_sign else plain_number
    texts = [write(value) for value in (mean, low, high) if not np.isnan(value)]
    return texts[0] if len(texts) < 3 else f"{texts[0]} [{texts[1]}, {texts[2]}]"


def p_text(p: float) -> str:
    """A p-value.

    >>> p_text(0.0002), p_text(0.0314)
    ('< 0.001', '0.031')
    """
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def shortened(places: Iterable[str]) -> str:
    """The first four, and how many more there are."""
    named = list(places)
    return "; ".join(named[:4]) + (f"; and {len(named) - 4} more" if len(named) > 4 else "")
