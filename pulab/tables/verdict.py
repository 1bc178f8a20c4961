"""Whether a printed cell was reproduced: one rule for tables, notes, scoreboard, report and claims.

:func:`judge` is the rule, :data:`MEANINGS` puts it into words.  se combines both sides.
The published one comes from the printed interval, else from the printed standard deviation and the
paper's number of repeats; a side without any spread adds nothing.  A fact of the set-up is reproduced where it is what the
paper prints, in the digits that it prints.  A significance mark is reproduced where our one-sided p-value is on the same side
of 5%, and a missing one where the difference is not significant in the other direction either.
Measured times, tuned parameters and results of another method (``rival``) are shown and not judged, and neither is anything in
a preset that only demonstrates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from scipy.special import stdtrit

from pulab.plan.study import Cause

#: The verdicts on a printed cell that has a number of ours.
VERDICTS = ("reproduced", "cannot tell", "close", "different")
#: The sign of each verdict in a table's cell.
SIGNS = {"reproduced": "=", "cannot tell": "?", "close": "≈", "different": "≠"}
VERDICT_OF = {sign: verdict for verdict, sign in SIGNS.items()}
#: Kinds of cells.  The first two are the printed results, which the headline counts.
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
#: The mark of a printed test without one.
NOT_SIGNIFICANT = "n.s."
#: The mark of a test of ours whose difference is significant in the other direction.
REVERSED = "reversed"
#: Points in one unit, where a table does not say it.
POINTS = {"%": 1.0, "percent of wins": 1.0, "share": 100.0, "": 100.0}
_NO_NUMBER = {"unavailable": "not available", "pending": "pending", "failed": "failed", "not run": "not run"}
_NOT_JUDGED = ("parameter", "time", "rival")
#: Points that a reproduced result may be off whatever its spread, that two standard errors may measure where they decide, and
#: within which a result is close.
CLOSE_ENOUGH, FINE_ENOUGH, CLOSE = 1.0, 3.0, 3.0
#: The rule in words; d is ours minus published and se its standard error, in points (percent, or hundredths of an area).
MEANINGS = {
    "reproduced": f"|d| ≤ {CLOSE_ENOUGH:g}, or |d| ≤ 2 se with 2 se ≤ {FINE_ENOUGH:g}",
    "cannot tell": f"|d| ≤ 2 se with 2 se > {FINE_ENOUGH:g}: the spread is too wide; more repeats would allow a verdict",
    "close": f"|d| > 2 se and |d| ≤ {CLOSE:g}",
    "different": f"|d| > 2 se and |d| > {CLOSE:g}",
}
# half a unit in the last binary digit is not a difference
_SLACK = 1e-9


def judge(difference: float, se: float = 0.0) -> str:
    """The verdict on a difference, ours minus published, by its standard error, both in points.

    Without a spread on either side, the standard error is 0.

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
    """Standard error of a mean: from its 95% interval (Student's t) where there is one, else from ``sd``; 0 without either.

    >>> round(standard_error(2.0, 4), 3), round(standard_error(float("nan"), 20, 59.0, 60.5), 3)
    (1.0, 0.358)
    """
    if not (pd.isna(low) or pd.isna(high)) and n > 1:
        return float((high - low) / 2.0 / stdtrit(n - 1, 0.975))
    return 0.0 if pd.isna(sd) or not n else float(sd / math.sqrt(n))


def standard_errors(cell: Mapping[str, Any]) -> tuple[float, float]:
    """Standard errors of the published and of our number, in the cell's unit; 0 for a side without a spread."""
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
    """``cells`` with their kinds, verdicts and causes, and with all that is needed to judge them again.

    Parameters
    ----------
    cells : DataFrame
        As :func:`pulab.tables.cells_of` makes them.
    kind, reading, n_published : str, str, int
        Of the cells that have no column of that name, or nothing in it: one of :data:`KINDS`; a
        :data:`~pulab.plan.study.Reading`, also of the cells that say they are of the main one; repeats behind the published
        numbers.
    points : float, optional
        Points in one unit; by the unit where absent.
    causes : sequence of Cause
        The study's.
    neutral : bool, default=False
        No verdicts: the result of a demonstration is shown with the published number and not judged.

    Returns
    -------
    DataFrame with ``kind, reading, n_published, points, difference`` (in points), ``se, verdict, cause`` and ``why`` besides.
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
        # p-values are one-sided: close to one, the difference is significant in the other direction
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
    """Whether the paper calls it significant: by a mark, or by a printed p-value."""
    return cell["published"] < 0.05 if not pd.isna(cell["published"]) else cell["published_mark"] != NOT_SIGNIFICANT


def _as_printed(ours: float, published: float) -> bool:
    """Whether ours is the printed number in the digits in which it is printed; a share may be a hundredth off.

    >>> _as_printed(0.4917, 0.49), _as_printed(0.518, 0.52), _as_printed(9, 10), _as_printed(6499, 6499)
    (True, True, False, True)
    """
    whole = float(published).is_integer() and abs(published) > 1
    return abs(ours - published) <= (0.5 if whole else 0.01) + _SLACK


def cause_of(cell: Mapping[str, Any], causes: Sequence[Cause]) -> tuple[str, str]:
    """Why a cell is not reproduced, by the first of ``causes`` that fits it, and the sentence that says so.

    Both are empty for a cell that is reproduced or not judged, and for one that no cause fits.
    """
    if cell["verdict"] not in VERDICTS[1:]:
        return "", ""
    k = cause_index(cell, causes)
    if k is None:
        return "", ""
    tried = f" Tried: {causes[k].tried}" if causes[k].tried else ""
    return causes[k].cause, " ".join(f"{causes[k].why}{tried}".split())


def cause_index(cell: Mapping[str, Any], causes: Sequence[Cause]) -> int | None:
    """Which of ``causes`` is the first that fits the cell; None if there is none."""
    for k, cause in enumerate(causes):
        if all(_fits(str(cell[key]), getattr(cause, key)) for key in ("table", "row", "column", "verdict")):
            return k
    return None


def _fits(text: str, names: str | tuple[str, ...]) -> bool:
    return not names or text in ((names,) if isinstance(names, str) else names)
