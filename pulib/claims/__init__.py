"""What papers say in words about who beats whom: each claim as data, judged on tidy results."""

from pulib.claims._checks import CASE_COLUMNS
from pulib.claims._evidence import Evidence, Missing
from pulib.claims._judge import CLAIM_COLUMNS, VERDICTS, judge_claims

__all__ = ["CASE_COLUMNS", "CLAIM_COLUMNS", "VERDICTS", "Evidence", "Missing", "judge_claims"]
