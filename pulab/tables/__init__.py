"""Tables: published values next to ours, cell by cell, with verdicts, and their rendering as CSV, Markdown and LaTeX."""

from pulab.tables.cells import CELL_COLUMNS, Place, comparison_cells, place, times_with_reasons
from pulab.tables.comparison import comparison
from pulab.tables.record import Record, read_scoreboard, records
from pulab.tables.render import sheet_of, write_study_table, write_table
from pulab.tables.results import Answers, Paper, Results, Table
from pulab.tables.verdict import SIGNS, VERDICTS, add_verdicts, judge

__all__ = [
    "CELL_COLUMNS",
    "SIGNS",
    "VERDICTS",
    "Answers",
    "Paper",
    "Place",
    "Record",
    "Results",
    "Table",
    "add_verdicts",
    "comparison",
    "comparison_cells",
    "judge",
    "place",
    "read_scoreboard",
    "records",
    "sheet_of",
    "times_with_reasons",
    "write_study_table",
    "write_table",
]
