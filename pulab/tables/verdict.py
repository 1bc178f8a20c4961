"""Whether a published cell was reproduced: one rule for tables, notes, scoreboard, report and claims.

:func:`judge` is the rule; :data:`MEANINGS` states it in words.  The standard error combines both sides.  The published one
comes from the published interval, or else from the published standard deviation and number of repeats.  A side without a
spread contributes zero.

A fact of the setup is reproduced if it matches the published digits.  A significance mark is reproduced if our one-sided
p-value is below 5%; a missing mark, if the difference is not significant in either direction.  Measured times, tuned
parameters and results of another method (``rival``) are shown but not judged, and neither is anything in a preset that only
demonstrates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from scipy.special import stdtrit

from pulab.plan.study import Cause

#: Verdicts on a published cell for which we have a number.
VERDICTS = ("reproduced", "cannot tell", "close", "different")
#: Sign of each verdict in a table's cell.
SIGNS = {"reproduced": "=", "cannot tell": "?", "close": "≈", "different": "≠"}
VERDICT_OF = {sign: verdict for verdict, sign in SIGNS.items()}
#: Kinds of cells.  The first two are published results, which the headline counts.
KINDS = ("performance", "wins", "risk", "count", "mark", "fact", "parameter", "time", "rival")
RESULTS = KINDS[:2]
#: Why a cell may not be reproduced.
CAUSES = {
    "data": "a stand-in or another version of the data",
    "reading": "the text leaves it open",
    "paper": "the paper's numbers contradict its text",
    "spread": "the spread is too wide for a verdict",
    "unexplained": "not explained",
}
#: Published mark of a test that is not significant.
NOT_SIGNIFICANT = "n.s."
#: Mark of our tests that are significant in the other direction.
REVERSED = "reversed"
#: Points in one unit, for tables that do not set them.
POINTS = {"%": 1.0, "percent of wins": 1.0, "share": 100.0, "": 100.0}
_NO_NUMBER = {"unavailable": "not available", "pending": "pending", "failed": "failed", "not run": "not run"}
_NOT_JUDGED = ("parameter", "time", "rival")
#: In points: the deviation that always counts as reproduced, the largest two standard errors that allow a verdict, and the
#: deviation that counts as close.
CLOSE_ENOUGH, FINE_ENOUGH, CLOSE = 1.0, 3.0, 3.0
#: The rule in words; d is ours minus published and se its standard error, in points (percent, or hundredths of an area).
MEANINGS = {
    "reproduced": f"|d| ≤ {CLOSE_ENOUGH:g}, or |d| ≤ 2 se with 2 se ≤ {FINE_ENOUGH:g}",
    "cannot tell": f"|d| ≤ 2 se with 2 se > {FINE_ENOUGH:g}: the spread is too wide; more repeats would allow a verdict",
    "close": f"|d| > 2 se and |d| ≤ {CLOSE:g}",
    "different": f"|d| > 2 se and |d| > {CLOSE:g}",
}
# tolerance for rounding errors
_SLACK = 1e-9


def judge(difference: float, se: float = 0.0) -> str:
    """Judge a difference, ours minus published, given its standard error, both in points.

    The standard error is 0 if neither side has a spread.

    >>> [judge(d, se) for d, se in [(-0.6, 0.2), (2.5, 1.4), (2.5, 1.6), (2.5, 0.1), (-8, 1)]]
    ['reproduced', 'reproduced', 'cannot tell', 'close', 'different']
    """
    d, wide = abs(difference), 2.0 * se
    if d <= CLOSE_ENOUGH + _SLACK or (d <= wide + _SLACK and wide <= FINE_ENOUGH + _SLACK):
        return "reproduced"
    if d <= wide + _SLACK:
        return "cannot tell"
    return "close" if d <= CLOSE + _SLACK else "different"


def standard_error(sd: float, n: float, low: float = math.nan, high: float = math.nan) -> float:
    """Standard error of a mean: from its 95% interval (Student's t) if given, else from ``sd``; 0 without either.

    >>> round(standard_error(2.0, 4), 3), round(standard_error(float("nan"), 20, 59.0, 60.5), 3)
    (1.0, 0.358)
    """
    if not (pd.isna(low) or pd.isna(high)) and n > 1:
        return float((high - low) / 2.0 / stdtrit(n - 1, 0.975))
    return 0.0 if pd.isna(sd) or not n else float(sd / math.sqrt(n))


def standard_errors(cell: Mapping[str, Any]) -> tuple[float, float]:
    """Standard errors of the published number and ours, in the cell's unit; 0 for a side without a spread."""
    low, high = cell.get("published_low", math.nan), cell.get("published_high", math.nan)
    published = standard_error(cell["published_sd"], cell["n_published"], low, high)
    return published, standard_error(cell["ours_sd"], cell["n"])


def add_verdicts(
    cells: pd.DataFrame,
    *,
    kind: str = "performance",
    reading: str = "main",
    n_published: int = 5,
    points: float | None = None,
    causes: Sequence[Cause] = (),
    neutral: bool = False,
) -> pd.DataFrame:
    """Add to ``cells`` their kinds, verdicts and causes, and all that is needed to judge them again.

    Parameters
    ----------
    cells : DataFrame
        From :func:`pulab.tables.cells_of`.
    kind, reading, n_published : str, str, int
        For cells without a value in that column: one of :data:`KINDS`; a :data:`~pulab.plan.study.Reading`, which also
        replaces ``main``; repeats behind the published numbers.
    points : float, optional
        Points in one unit; by default, depends on the unit.
    causes : sequence of Cause
        The study's.
    neutral : bool, default=False
        Whether to give no verdicts: a demonstration shows results next to the published ones without judging them.

    Returns
    -------
    DataFrame with the additional columns ``kind, reading, n_published, points, difference`` (in points), ``se, verdict,
    cause`` and ``why``.
    """
    out = cells.reset_index(drop=True).copy()
    for name, value in (("kind", kind), ("reading", reading), ("n_published", n_published)):
        out[name] = out[name].where(out[name].notna() & (out[name] != ""), value) if name in out else value
    out.loc[out["reading"] == "main", "reading"] = reading
    out["points"] = [points if points is not None else POINTS.get(unit, math.nan) for unit in out["unit"].fillna("")]
    judged = [_judged(cell, neutral) for cell in out.to_dict("records")]
    out[["difference", "se", "verdict"]] = pd.DataFrame(judged, index=out.index, columns=["difference", "se", "verdict"])
    causes_found = [cause_of(cell, causes) for cell in out.to_dict("records")]
    out["cause"], out["why"] = [cause for cause, _ in causes_found], [why for _, why in causes_found]
    return out


def _judged(cell: Mapping[str, Any], neutral: bool) -> tuple[float, float, str]:
    published_mark = cell["kind"] == "mark" and isinstance(cell.get("published_mark"), str) and cell["published_mark"]
    numbers = not pd.isna(cell["ours"]) and not pd.isna(cell["published"])
    scale = cell["points"] if not math.isnan(cell["points"]) else 1.0
    difference = (cell["ours"] - cell["published"]) * scale if numbers and cell["kind"] != "mark" else math.nan
    se = math.hypot(*standard_errors(cell)) * scale if numbers and cell["kind"] not in ("fact", "mark") else math.nan
    if cell["status"] != "ok":
        return math.nan, math.nan, _NO_NUMBER[cell["status"]]
    if isinstance(cell["stand_in"], str) and cell["stand_in"]:
        return difference, se, "stand-in"
    if not (numbers or (published_mark and not pd.isna(cell["ours"]))):
        return math.nan, math.nan, "extra"
    if neutral or cell["kind"] in _NOT_JUDGED:
        return difference, se, "not judged"
    if cell["kind"] == "mark":
        # p-values are one-sided: near one, the difference is significant in the other direction
        same = cell["ours"] < 0.05 if _marked(cell) else 0.05 <= cell["ours"] <= 0.95
        return math.nan, math.nan, "reproduced" if same else "different"
    if cell["kind"] == "fact":
        return difference, se, "reproduced" if _as_printed(cell["ours"], cell["published"]) else "different"
    if math.isnan(cell["points"]):
        raise ValueError(
            f"cell {cell['row']} / {cell['column']} has the unit {cell['unit']!r}; expected one of {', '.join(POINTS)}, a kind "
            "that is not judged in points, or `points` in the table's Shown"
        )
    return difference, se, judge(difference, se)


def _marked(cell: Mapping[str, Any]) -> bool:
    """Return whether the paper calls it significant, by a mark or a p-value."""
    return cell["published"] < 0.05 if not pd.isna(cell["published"]) else cell["published_mark"] != NOT_SIGNIFICANT


def _as_printed(ours: float, published: float) -> bool:
    """Return whether ours matches the published number in its digits; a share may be off by 0.01.

    >>> _as_printed(0.4917, 0.49), _as_printed(0.518, 0.52), _as_printed(9, 10), _as_printed(6499, 6499)
    (True, True, False, True)
    """
    whole = float(published).is_integer() and abs(published) > 1
    return abs(ours - published) <= (0.5 if whole else 0.01) + _SLACK


def cause_of(cell: Mapping[str, Any], causes: Sequence[Cause]) -> tuple[str, str]:
    """Return the first of ``causes`` that fits a cell, and the sentence that explains it.

    Both are empty if the cell is reproduced or not judged, or if no cause fits.
    """
    if cell["verdict"] not in VERDICTS[1:]:
        return "", ""
    k = cause_index(cell, causes)
    if k is None:
        return "", ""
    tried = f" Tried: {causes[k].tried}" if causes[k].tried else ""
    return causes[k].cause, " ".join(f"{causes[k].why}{tried}".split())


def cause_index(cell: Mapping[str, Any], causes: Sequence[Cause]) -> int | None:
    """Return the index of the first of ``causes`` that fits the cell, or None."""
    for k, cause in enumerate(causes):
        if all(_fits(str(cell[key]), getattr(cause, key)) for key in ("table", "row", "column", "verdict")):
            return k
    return None


def _fits(text: str, names: str | tuple[str, ...]) -> bool:
    return not names or text in ((names,) if isinstance(names, str) else names)
