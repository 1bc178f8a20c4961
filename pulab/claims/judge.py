"""Claims in, verdicts out: one row per claim, and one per case behind it."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pulab.claims.checks import CASE_COLUMNS, claim_cases
from pulab.claims.evidence import Evidence
from pulib.statistics import holm

VERDICTS = ("holds", "holds in part", "does not hold", "pending", "not available")
CLAIM_COLUMNS = ["study", "id", "section", "quote", "tested", "verdict", "held", "cases", "held_holm"]
CLAIM_COLUMNS += ["pending", "not_available", "repeats", "numbers", "also", "stand_in", "why"]


def judge_claims(
    study: str, claims: Sequence[Mapping[str, Any]], evidence: Evidence, labels: Mapping[str, str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The verdict on each claim of a paper.

    Parameters
    ----------
    study : str
    claims : sequence of mappings
        As in ``config/claims/<study>.yaml``.
    evidence : Evidence
        The paper's results.
    labels : mapping
        Names of data sets, settings, methods and metrics, as people read them.

    Returns
    -------
    table : DataFrame with :data:`CLAIM_COLUMNS`
        ``held`` of ``cases`` hold; ``held_holm`` are those that are significant after Holm's correction over the claim's
        tests, too (missing where the claim is not about significance).  A claim that needs all of its cases holds, holds in
        part, or does not hold; one that needs ``most`` or ``any`` holds or does not.  Cases without results are counted apart.
    cases : DataFrame with ``paper``, ``id``, ``reading`` and :data:`CASE_COLUMNS`
        ``reading`` is empty but for the claim's other readings (``also``).
    """
    rows, cases = [], []
    for claim in claims:
        case_rows = _frame(claim_cases(claim, evidence, labels))
        cases.append(case_rows.assign(study=study, id=claim["id"], reading=""))
        others = []
        for reading, changes in claim.get("also", {}).items():
            other = _frame(claim_cases(_merged(claim, changes), evidence, labels))
            cases.append(other.assign(study=study, id=claim["id"], reading=reading))
            others.append(f"{reading}: {_in_words(_verdict(claim, other), other)}")
        verdict = _verdict(claim, case_rows)
        rows.append(
            {
                "study": study,
                **{key: claim[key] for key in ("id", "section", "quote", "tested")},
                "verdict": verdict,
                **_counts(claim, case_rows),
                "numbers": _numbers(claim, case_rows),
                "also": "; ".join(others),
                "stand_in": _stand_ins(case_rows, evidence, labels),
                "why": " ".join(claim.get("why", {}).get(verdict, "").split()),
            }
        )
    table = pd.DataFrame(rows, columns=CLAIM_COLUMNS)
    columns = ["study", "id", "reading", *CASE_COLUMNS]
    return table, pd.concat(cases, ignore_index=True)[columns] if cases else pd.DataFrame(columns=columns)


def _frame(cases: list[dict[str, Any]]) -> pd.DataFrame:
    return pd.DataFrame(cases, columns=CASE_COLUMNS)


def _merged(claim: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    merged = copy.deepcopy(dict(claim))
    for key, value in changes.items():
        merged[key] = {**merged.get(key, {}), **value} if isinstance(value, Mapping) else value
    return merged


def _verdict(claim: Mapping[str, Any], cases: pd.DataFrame) -> str:
    held, judged = int((cases["status"] == "holds").sum()), int(cases["status"].isin(["holds", "fails"]).sum())
    if not judged:
        return "pending" if (cases["status"] == "pending").any() else "not available"
    need = claim.get("need", "all")
    if need == "all":
        return "holds" if held == judged else "holds in part" if held else "does not hold"
    enough = held > judged / 2 if need == "most" else held > 0
    return "holds" if enough else "does not hold"


def _counts(claim: Mapping[str, Any], cases: pd.DataFrame) -> dict[str, Any]:
    judged = cases[cases["status"].isin(["holds", "fails"])]
    held = judged["status"] == "holds"
    corrected = np.nan
    if claim.get("test") and claim.get("expect") == "greater" and len(judged):
        corrected = int((held & (holm(judged["pvalue"].to_numpy(dtype=float)) < claim.get("alpha", 0.05))).sum())
    return {
        "held": int(held.sum()),
        "cases": len(judged),
        "held_holm": corrected,
        "pending": int((cases["status"] == "pending").sum()),
        "not_available": int((cases["status"] == "not available").sum()),
        "repeats": "" if claim["check"] == "ranks" else _span(judged["n"]),
    }


def _span(counts: pd.Series) -> str:
    """The least and the greatest number of repeats behind the cases."""
    ends = sorted({int(n) for n in counts if n > 0})
    return "–".join(str(n) for n in dict.fromkeys(ends[:1] + ends[-1:]))


def _in_words(verdict: str, cases: pd.DataFrame) -> str:
    judged = cases["status"].isin(["holds", "fails"]).sum()
    rest = f", {len(cases) - judged} without results" if len(cases) > judged else ""
    return f"{verdict} ({(cases['status'] == 'holds').sum()} of {judged}{rest})" if judged else verdict


def _stand_ins(cases: pd.DataFrame, evidence: Evidence, labels: Mapping[str, str]) -> str:
    names = dict.fromkeys(name for names in cases["datasets"].dropna() for name in names.split())
    return ", ".join(labels.get(name, name) for name in names if evidence.stands_in(name))


# ---------------------------------------------------------------------------------------------- numbers in words


def _numbers(claim: Mapping[str, Any], cases: pd.DataFrame, most: int = 4) -> str:
    """The cases in words: all where there are few, else the range, and those that fail."""
    judged = cases[cases["status"].isin(["holds", "fails"])]
    parts = []
    if len(judged) <= most:
        parts += [_case_words(claim, case) for case in judged.itertuples(index=False)]
    elif judged["difference"].notna().all():
        d = judged["difference"]
        low, high = (_number(claim, value, True) for value in (d.min(), d.max()))
        unit = _unit(claim).replace("%", " points")
        parts.append(f"differences from {low} to {high}{unit}, median {_number(claim, d.median(), True)}")
    else:
        s = judged["statistic"]
        parts.append(f"{_statistic(claim)} from {s.min():.2f} to {s.max():.2f}, median {s.median():.2f}")
    failing = judged[judged["status"] == "fails"]
    if len(judged) > most and len(failing):
        worst = failing.sort_values("difference" if failing["difference"].notna().all() else "statistic")
        shown = [_case_words(claim, case) for case in worst.head(3).itertuples(index=False)]
        parts.append("against it: " + "; ".join(shown) + (f"; and {len(worst) - 3} more" if len(worst) > 3 else ""))
    return "; ".join(parts)


def _case_words(claim: Mapping[str, Any], case: Any) -> str:
    details = [f"n = {int(case.n)}"] if case.n > 0 else []
    if not pd.isna(case.pvalue):
        details.append("p < 0.001" if case.pvalue < 0.001 else f"p = {case.pvalue:.3f}")
    if claim["check"] == "ranks":
        values = "" if pd.isna(case.left) else f": ranks {case.left:.2f} and {case.right:.2f}"
        details.append(f"F = {case.statistic:.2f}" if pd.isna(case.left) else f"critical difference {case.statistic:.2f}")
    elif pd.isna(case.left):
        values = f": {_statistic(claim)} {case.statistic:.2f}"
    elif case.threshold:
        value, limit = (case.right, case.left) if case.threshold == "left" else (case.left, case.right)
        values = f": {_number(claim, value)}{_unit(claim)}, threshold {_number(claim, limit)}"
    else:
        values = f": {_number(claim, case.left)} and {_number(claim, case.right)}{_unit(claim)}"
    return f"{case.case}{values}" + (f" ({', '.join(details)})" if details else "")


def _statistic(claim: Mapping[str, Any]) -> str:
    return "rank correlation" if claim["check"] == "similar" else "statistic"


def _unit(claim: Mapping[str, Any]) -> str:
    """As it follows a number: percent at once, all others after a space."""
    unit = claim.get("unit", "")
    return unit if unit.startswith("%") else f" {unit}" if unit else ""


def _number(claim: Mapping[str, Any], value: float, signed: bool = False) -> str:
    decimals = claim.get("decimals", 1)
    text = f"{value:+.{decimals}f}" if signed else f"{value:.{decimals}f}"
    return text.replace("-", "−")
