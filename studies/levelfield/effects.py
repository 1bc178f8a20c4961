"""Formatting of changes in points with their intervals, and of p-values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pulab.tables.numerals import plain_number, signed


class Effect(NamedTuple):
    """A mean change in points with its interval (missing for a single task); negative values are losses."""

    mean: float
    low: float = np.nan
    high: float = np.nan

    @property
    def is_loss(self) -> bool:
        return plain_number(self.mean).startswith("−")

    @property
    def is_zero(self) -> bool:
        """Whether it rounds to zero, so that it is neither a gain nor a loss."""
        return plain_number(self.mean) == "0.0"

    def size(self) -> str:
        """Format the gain, or the loss without its sign.

        >>> Effect(2.04, -1.0, 5.1).size(), Effect(-0.2, -1.6, 0.5).size(), Effect(-0.04).size()
        ('2.0 [−1.0, 5.1]', '0.2 [−0.5, 1.6]', '0.0')
        """
        sign = -1 if self.is_loss else 1
        low, high = sorted((sign * self.low, sign * self.high))
        return interval_text(sign * self.mean, low, high)


def interval_text(mean: float, low: float, high: float, *, with_sign: bool = False) -> str:
    """Format a mean with its interval in brackets.

    >>> interval_text(93.14, 91.0, 95.26), interval_text(-1.5, -3.0, 0.04, with_sign=True), interval_text(2.0, np.nan, np.nan)
    ('93.1 [91.0, 95.3]', '−1.5 [−3.0, 0.0]', '2.0')
    """
    write = signed if with_sign else plain_number
    texts = [write(value) for value in (mean, low, high) if not np.isnan(value)]
    return texts[0] if len(texts) < 3 else f"{texts[0]} [{texts[1]}, {texts[2]}]"


def p_text(p: float) -> str:
    """Format a p-value.

    >>> p_text(0.0002), p_text(0.0314)
    ('< 0.001', '0.031')
    """
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
