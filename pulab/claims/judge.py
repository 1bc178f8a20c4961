"""Claims in, verdicts out: one row per claim, and one per case behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from pulab.claims.cases import ALPHA, CASE_COLUMNS, Case
from pulab.claims.evidence import Evidence
from pulab.claims.registry import Claim
from pulab.claims.words import numbers_in_words, span, verdict_in_words
from pulib.statistics import holm

CLAIM_COLUMNS = ["study", "id", "section", "quote", "tested", "verdict", "held", "cases", "held_holm"]
CLAIM_COLUMNS += ["pending", "not_available", "repeats", "numbers", "also", "stand_in", "why"]


def judge_claims(study: str, claims: Sequence[Claim], evidence: Evidence) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The verdict on each claim of a paper.

    Parameters
    ----------
    study : str
    claims : sequence of Claim
    evidence : Evidence
        The paper's results.

    Returns
    -------
    table : DataFrame with :data:`CLAIM_COLUMNS`
        ``held`` of ``cases`` hold; ``held_holm`` are those that are significant after Holm's correction over the claim's
        tests, too (missing where the claim is not about significance).  A claim that needs all of its cases holds, holds in
        part, or does not hold; one that needs ``most`` or ``any`` holds or does not.  Cases without results are counted apart.
    cases : DataFrame with ``study``, ``id``, ``reading`` and :data:`~pulab.claims.cases.CASE_COLUMNS`
        ``reading`` is empty but for the claim's other readings (``also``).
    """
    rows, shown = [], []
    for claim in claims:
        main = list(claim.cases(evidence))
        others = {reading: list(claim.cases(evidence, **changes)) for reading, changes in claim.also.items()}
        for reading, cases in {"": main, **others}.items():
            shown += [{"study": study, "id": claim.id, "reading": reading, **asdict(case)} for case in cases]
        rows.append(_row(study, claim, main, others, evidence))
    return pd.DataFrame(rows, columns=CLAIM_COLUMNS), pd.DataFrame(shown, columns=["study", "id", "reading", *CASE_COLUMNS])


def _row(study: str, claim: Claim, cases: list[Case], others: dict[str, list[Case]], evidence: Evidence) -> dict[str, Any]:
    judged, verdict = _judged(cases), _verdict(claim, cases)
    also = [f"{reading}: {verdict_in_words(_verdict(claim, own), own, _judged(own))}" for reading, own in others.items()]
    return {
        "study": study,
        **{key: getattr(claim, key) for key in ("id", "section", "quote", "tested")},
        "verdict": verdict,
        "held": sum(case.status == "holds" for case in judged),
        "cases": len(judged),
        "held_holm": _held_after_correction(judged),
        "pending": sum(case.status == "pending" for case in cases),
        "not_available": sum(case.status == "not available" for case in cases),
        "repeats": span([case.n for case in judged if case.kind != "ranks"]),
        "numbers": numbers_in_words(judged, claim.unit, claim.decimals),
        "also": "; ".join(also),
        "stand_in": _stand_ins(cases, evidence),
        "why": claim.why.get(verdict, ""),
    }


def _judged(cases: Sequence[Case]) -> list[Case]:
    return [case for case in cases if case.status in ("holds", "fails")]


def _verdict(claim: Claim, cases: Sequence[Case]) -> str:
    held, judged = sum(case.status == "holds" for case in cases), len(_judged(cases))
    if not judged:
        return "pending" if any(case.status == "pending" for case in cases) else "not available"
    if claim.need == "all":
        return "holds" if held == judged else "holds in part" if held else "does not hold"
    enough = held > judged / 2 if claim.need == "most" else held > 0
    return "holds" if enough else "does not hold"


def _held_after_correction(judged: Sequence[Case]) -> float:
    """How many cases hold after Holm's correction, where they are about significance in one direction."""
    if not judged or not all(case.one_sided for case in judged):
        return np.nan
    corrected = holm(np.array([case.pvalue for case in judged], dtype=float))
    return sum(case.status == "holds" and p < ALPHA for case, p in zip(judged, corrected, strict=True))


def _stand_ins(cases: Sequence[Case], evidence: Evidence) -> str:
    names = dict.fromkeys(name for case in cases for name in case.datasets.split())
    return ", ".join(evidence.words(name) for name in names if evidence.stands_in(name))
