"""Whether a cell was reproduced, by one rule.

With d the difference of the means and s the combined standard error, sqrt(sd_paper²/n_paper + sd_ours²/n_ours):

- ``reproduced``: d is at most 2 s, or at most 1 point;
- ``close``: d is at most 3 points;
- ``different``: else;
- ``stand-in``: another data set stands in for the paper's, so that the numbers cannot be compared;
- ``not available``, ``pending``, ``failed``, ``not run``: there is no number of ours; the cell's note says why;
- ``extra``: the paper prints no number there.

A point is one hundredth of the unit's whole: 1 for percentages, 0.01 for shares.  Other units (seconds, counts) are compared by
their ratio: reproduced within 10%, close within 30%.  Measured times belong to a machine and get ``other machine``.
"""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

VERDICTS = (
    "reproduced",
    "close",
    "different",
    "stand-in",
    "other machine",
    "extra",
    "failed",
    "not available",
    "pending",
    "not run",
)
_POINT = {"%": 1.0, "share": 0.01, "": 0.01}
_NO_NUMBER = {"unavailable": "not available", "pending": "pending", "failed": "failed", "not run": "not run"}


def verdict(
    published: float, published_sd: float, ours: float, ours_sd: float, n: int, *, unit: str = "%", n_published: int = 5
) -> str:
    """The verdict on one cell that has both numbers.

    >>> verdict(93.60, 0.39, 93.41, 0.20, 5)
    'reproduced'
    >>> verdict(76.51, 0.52, 72.0, 0.50, 5)
    'different'
    """
    if unit == "s":
        return "other machine"
    difference = abs(ours - published)
    if unit not in _POINT:
        ratio = difference / max(abs(published), 1e-12)
        return "reproduced" if ratio <= 0.1 else "close" if ratio <= 0.3 else "different"
    spread = sum(
        sd**2 / max(count, 1)
        for sd, count in ((published_sd, n_published), (ours_sd, n))
        if sd is not None and not math.isnan(sd)
    )
    point = _POINT[unit]
    # half a unit in the last printed digit is not a difference
    slack = 1e-9
    if difference <= max(2 * math.sqrt(spread), point) + slack:
        return "reproduced"
    return "close" if difference <= 3 * point + slack else "different"


def add_verdicts(cells: pd.DataFrame, *, n_published: int = 5) -> pd.DataFrame:
    """``cells`` with the columns ``difference`` and ``verdict``.

    ``n_published``, repeats behind the published numbers, may be a column of the cells, too, which then goes before.
    """
    out = cells.copy()
    out["difference"] = out["ours"] - out["published"]
    out["verdict"] = [_cell_verdict(cell, n_published) for cell in out.itertuples(index=False)]
    return out


def _cell_verdict(cell: Any, n_published: int) -> str:
    if cell.status != "ok":
        return _NO_NUMBER[cell.status]
    if isinstance(cell.stand_in, str) and cell.stand_in:
        return "stand-in"
    if pd.isna(cell.published):
        return "extra"
    n_published = int(getattr(cell, "n_published", n_published))
    return verdict(
        cell.published, cell.published_sd, cell.ours, cell.ours_sd, int(cell.n), unit=cell.unit, n_published=n_published
    )
