"""What papers say in words about who beats whom: each claim as data, judged on tidy results."""

from pulab.claims.checks import CASE_COLUMNS
from pulab.claims.evidence import Evidence, Missing
from pulab.claims.judge import CLAIM_COLUMNS, VERDICTS, judge_claims

__all__ = ["CASE_COLUMNS", "CLAIM_COLUMNS", "VERDICTS", "Evidence", "Missing", "judge_claims"]
