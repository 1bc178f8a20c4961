"""The cases of a claim in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from pulab.claims.cases import Case

#: Up to how many cases are given one by one.
FEW = 4


def verdict_in_words(verdict: str, cases: Sequence[Case], judged: Sequence[Case]) -> str:
    """A verdict with how many cases hold, and how many of them could not be judged."""
    if not judged:
        return verdict
    rest = f", {len(cases) - len(judged)} without results" if len(cases) > len(judged) else ""
    return f"{verdict} ({sum(case.status == 'holds' for case in judged)} of {len(judged)}{rest})"


def span(counts: Sequence[float]) -> str:
    """The least and the greatest number of repeats.

    >>> span([20, 5, 0, 20])
    '5–20'
    """
    ends = sorted({int(n) for n in counts if n > 0})
    return "–".join(str(n) for n in dict.fromkeys(ends[:1] + ends[-1:]))


def numbers_in_words(judged: Sequence[Case], unit: str, decimals: int) -> str:
    """All cases where there are few, else their range, and those that fail.

    Parameters
    ----------
    judged : sequence of Case
        Those that hold or fail.
    unit : str
        Percent follows a number at once, all others after a blank.
    decimals : int
    """
    unit = unit if unit.startswith("%") else f" {unit}" if unit else ""
    if len(judged) <= FEW:
        return "; ".join(_case(case, unit, decimals) for case in judged)
    if any(math.isnan(case.difference) for case in judged):
        values, signed = [case.statistic for case in judged], False
        low, middle, high = (f"{value:.2f}" for value in (min(values), median(values), max(values)))
        parts = [f"{_statistic(judged[0])} from {low} to {high}, median {middle}"]
    else:
        values, signed = [case.difference for case in judged], True
        low, middle, high = (_number(value, decimals, signed) for value in (min(values), median(values), max(values)))
        parts = [f"differences from {low} to {high}{unit.replace('%', ' points')}, median {middle}"]
    failing = [case for case in judged if case.status == "fails"]
    if failing:
        by_difference = not any(math.isnan(case.difference) for case in failing)
        worst = sorted(failing, key=lambda case: case.difference if by_difference else case.statistic)
        more = f"; and {len(worst) - 3} more" if len(worst) > 3 else ""
        parts.append("against it: " + "; ".join(_case(case, unit, decimals) for case in worst[:3]) + more)
    return "; ".join(parts)


def _case(case: Case, unit: str, decimals: int) -> str:
    details = [f"n = {int(case.n)}"] if case.n > 0 else []
    if not math.isnan(case.pvalue):
        details.append("p < 0.001" if case.pvalue < 0.001 else f"p = {case.pvalue:.3f}")
    if case.kind == "ranks":
        values = "" if math.isnan(case.left) else f": ranks {case.left:.2f} and {case.right:.2f}"
        details.append(f"F = {case.statistic:.2f}" if math.isnan(case.left) else f"critical difference {case.statistic:.2f}")
    elif math.isnan(case.left):
        values = f": {_statistic(case)} {case.statistic:.2f}"
    elif case.threshold:
        value, limit = (case.right, case.left) if case.threshold == "left" else (case.left, case.right)
        values = f": {_number(value, decimals)}{unit}, threshold {_number(limit, decimals)}"
    else:
        values = f": {_number(case.left, decimals)} and {_number(case.right, decimals)}{unit}"
    return f"{case.case}{values}" + (f" ({', '.join(details)})" if details else "")


def _statistic(case: Case) -> str:
    return "rank correlation" if case.kind == "trend" else "statistic"


def _number(value: float, decimals: int, signed: bool = False) -> str:
    text = f"{value:+.{decimals}f}" if signed else f"{value:.{decimals}f}"
    return text.replace("-", "−")
