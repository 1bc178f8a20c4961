"""Compare learners on a table: which one to choose, how certain the choice is, and which rows to inspect first.

``purank table.csv --label labeled`` (:mod:`purank.command`) reads and checks the table (:mod:`purank.tables`) and cross-fits
the learners (:mod:`purank.scoring`) within a budget of time (:mod:`purank.run`): each row is scored by models that saw neither
the row nor its group.  :mod:`purank.judge` compares learners on these scores, :mod:`purank.ranked` lists the unlabeled rows,
and :mod:`purank.report` writes the answer.

Learners and estimates are about one population, the unlabeled rows, in both scenarios: if labels are drawn at random among
the positives, labeled rows are a sample of the positives that are hidden there.  ρ is the share of positives among unlabeled
rows.
"""

from purank.loader import load_pu_table
from purank.tables import CheckedTable, Finding, TableError, read_table

__all__ = ["CheckedTable", "Finding", "TableError", "load_pu_table", "read_table"]
