"""Claims of papers about which method wins: each is a function that yields cases, judged on tidy results.

They are in the module ``claims`` of a study's package.  There, :func:`~pulab.claims.registry.claim` registers a function with
the sentence that it tests.  The function looks up numbers (:mod:`pulab.claims.evidence`) and yields cases
(:mod:`pulab.claims.cases`), from which :mod:`pulab.claims.judge` derives a verdict.
"""

from pulab.claims.cases import CASE_COLUMNS
from pulab.claims.evidence import Evidence, Missing, Numbers
from pulab.claims.judge import CLAIM_COLUMNS, judge_claims
from pulab.claims.registry import VERDICTS, Claim, claim, claims_of, labels_of

__all__ = [
    "CASE_COLUMNS", "CLAIM_COLUMNS", "VERDICTS", "Claim", "Evidence", "Missing", "Numbers", "claim", "claims_of",
    "judge_claims", "labels_of",
]  # fmt: skip
