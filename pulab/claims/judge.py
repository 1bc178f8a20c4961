"""Judge claims: one row per claim, and one per case."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from pulab.claims.cases import ALPHA, CASE_COLUMNS, Case, ours, thresholds_times
from pulab.claims.evidence import Evidence
from pulab.claims.registry import Claim
from pulib.statistics import holm

CLAIM_COLUMNS = ["study", "id", "section", "theme", "quote", "part", "tested", "verdict", "held", "cases", "held_holm"]
CLAIM_COLUMNS += ["chance", "pending", "not_available", "repeats", "numbers", "also", "lower", "higher", "contradicted", "weak"]
CLAIM_COLUMNS += ["stand_in", "why"]
#: Maximum number of cases to list one by one.
FEW = 4
#: Our own thresholds are also lowered and raised by this share.
THRESHOLD_CHANGE = 0.1
#: A threshold is weak if all values are beyond it by this factor.
FAR = 5.0
_OPPOSITES = {"holds", "does not hold"}


def judge_claims(study: str, claims: Sequence[Claim], evidence: Evidence) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the verdict on each claim of a paper (:data:`CLAIM_COLUMNS`), and the cases behind it.

    Of the ``cases`` judged, ``held`` hold, and ``held_holm`` are also significant after Holm's correction over the claim's
    tests (missing if the claim is not about significance).  A claim that needs all of its cases holds, holds in part, or does
    not hold; one that needs ``most`` or ``any`` holds or does not.  For ``most``, ``chance`` is the probability of at least as
    many holding cases if each holds with probability 1/2.  Cases without results are counted separately; a claim is not tested
    in full if at least half of its cases are not available and could change the verdict.  ``contradicted`` lists the other
    interpretations under which the tested cases give the opposite verdict.  ``lower`` and ``higher`` are the verdicts with our
    own thresholds lowered and raised by :data:`THRESHOLD_CHANGE`; they are empty if there are none.

    A case's ``reading`` is empty except under the claim's other interpretations (``also``).
    """
    rows, shown = [], []
    for claim in claims:
        with thresholds_times(1.0) as used:
            main = list(claim.cases(evidence))
            graded = used() or claim.need == "most"
        others = {reading: list(claim.cases(evidence, **changes)) for reading, changes in claim.also.items()}
        for reading, cases in {"": main, **others}.items():
            shown += [{"study": study, "id": claim.id, "reading": reading, **asdict(case)} for case in cases]
        rows.append(_row(study, claim, main, others, evidence) | _around(claim, evidence, graded))
    return pd.DataFrame(rows, columns=CLAIM_COLUMNS), pd.DataFrame(shown, columns=["study", "id", "reading", *CASE_COLUMNS])


def _row(study: str, claim: Claim, cases: list[Case], others: dict[str, list[Case]], evidence: Evidence) -> dict[str, Any]:
    judged, verdict = _judged(cases), _verdict(claim, cases)
    of_judged = _of_judged(claim, judged) if judged else verdict
    tested = {reading: _of_judged(claim, found) for reading, own in others.items() if (found := _judged(own))}
    also = [f"{reading}: {verdict_in_words(_verdict(claim, own), own, _judged(own))}" for reading, own in others.items()]
    return {
        "study": study,
        **{key: getattr(claim, key) for key in ("id", "section", "theme", "quote", "part", "tested")},
        "verdict": verdict,
        "held": sum(case.status == "holds" for case in judged),
        "cases": len(judged),
        "held_holm": _held_after_correction(judged),
        "chance": _chance(judged) if claim.need == "most" else np.nan,
        "pending": sum(case.status == "pending" for case in cases),
        "not_available": sum(case.status == "not available" for case in cases),
        "repeats": span([case.n for case in judged if case.kind != "ranks"]),
        "numbers": numbers_in_words(judged, claim.unit, claim.decimals),
        "also": "; ".join(also),
        "contradicted": "; ".join(reading for reading, other in tested.items() if {of_judged, other} == _OPPOSITES),
        "weak": claim.weak or weak_by_rule(claim, judged),
        "stand_in": _stand_ins(cases, evidence),
        "why": claim.why.get(verdict) or claim.why.get(of_judged, ""),
    }


def _judged(cases: Sequence[Case]) -> list[Case]:
    return [case for case in cases if case.status in ("holds", "fails")]


def _verdict(claim: Claim, cases: Sequence[Case]) -> str:
    judged, absent = _judged(cases), [case for case in cases if case.status == "not available"]
    if not judged:
        return "pending" if any(case.status == "pending" for case in cases) else "not available"
    verdict = _of_judged(claim, judged)
    if len(absent) >= len(cases) / 2:
        either = ([*judged, *(replace(case, status=status) for case in absent)] for status in ("holds", "fails"))
        return verdict if {_of_judged(claim, own) for own in either} == {verdict} else "not tested in full"
    return verdict


def _of_judged(claim: Claim, judged: Sequence[Case]) -> str:
    held = sum(case.status == "holds" for case in judged)
    if claim.need == "all":
        return "holds" if held == len(judged) else "holds in part" if held else "does not hold"
    enough = held > len(judged) * ours(0.5) if claim.need == "most" else held > 0
    return "holds" if enough else "does not hold"


def _around(claim: Claim, evidence: Evidence, graded: bool) -> dict[str, str]:
    """Return the verdicts with slightly lower and higher thresholds of ours; empty if there are none."""
    said = {"lower": "", "higher": ""}
    for name, scale in (("lower", 1 - THRESHOLD_CHANGE), ("higher", 1 + THRESHOLD_CHANGE)) if graded else ():
        with thresholds_times(scale):
            cases = list(claim.cases(evidence))
            judged = _judged(cases)
            said[name] = verdict_in_words(_verdict(claim, cases), cases, judged) if judged else ""
    return said


def _chance(judged: Sequence[Case]) -> float:
    """One-sided binomial p-value of the number of cases that hold, against one half."""
    held = sum(case.status == "holds" for case in judged)
    return float(binomtest(held, len(judged), 0.5, alternative="greater").pvalue) if judged else np.nan


def _held_after_correction(judged: Sequence[Case]) -> float:
    """Return how many cases hold after Holm's correction; NaN unless all test for significance in one direction."""
    if not judged or not all(case.one_sided for case in judged):
        return np.nan
    corrected = holm(np.array([case.pvalue for case in judged], dtype=float))
    return sum(case.status == "holds" and p < ALPHA for case, p in zip(judged, corrected, strict=True))


def weak_by_rule(claim: Claim, judged: Sequence[Case]) -> str:
    """Return why a claim's test can hardly fail, if its cases show it; else an empty string.

    Other reasons are in the claim's ``weak``: for example, a statement follows from algebra, or any method passes.
    """
    if claim.need == "any" and len(judged) > 1:
        return f"one of {len(judged)} comparisons is enough"
    if judged and all(case.absence and case.status == "holds" for case in judged):
        return "a test that finds no difference passes it, and with few repeats, hardly any test finds one"
    if judged and all(case.threshold and case.status == "holds" for case in judged):
        sides = [(case.left, case.right) if case.threshold == "right" else (case.right, case.left) for case in judged]
        factor = min(max(value / limit, limit / value) if value > 0 < limit else 1.0 for value, limit in sides)
        if factor >= FAR:
            return f"every value is beyond the threshold by a factor of {factor:.0f} or more"
    return ""


def _stand_ins(cases: Sequence[Case], evidence: Evidence) -> str:
    names = dict.fromkeys(name for case in cases for name in case.datasets.split())
    return ", ".join(evidence.words(name) for name in names if evidence.is_stand_in(name))


# ------------------------------------------------------------------------------------------------------- cases in words


def verdict_in_words(verdict: str, cases: Sequence[Case], judged: Sequence[Case]) -> str:
    """Return a verdict with the numbers of cases that hold and that could not be judged."""
    if not judged:
        return verdict
    rest = f", {len(cases) - len(judged)} without results" if len(cases) > len(judged) else ""
    return f"{verdict} ({sum(case.status == 'holds' for case in judged)} of {len(judged)}{rest})"


def span(counts: Sequence[float]) -> str:
    """Return the range of the numbers of repeats.

    >>> span([20, 5, 0, 20])
    '5–20'
    """
    ends = sorted({int(n) for n in counts if n > 0})
    return "–".join(str(n) for n in dict.fromkeys(ends[:1] + ends[-1:]))


def numbers_in_words(judged: Sequence[Case], unit: str, decimals: int) -> str:
    """List all judged cases if there are few, or else their range and those that fail.

    A percent sign follows a number directly; other units follow a space.
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
    if not math.isnan(case.low):
        ends = [_number(end, decimals, True) for end in (case.low, case.high)]
        details.append(f"difference {_number(case.difference, decimals, True)}, 95% {ends[0]} to {ends[1]}")
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
