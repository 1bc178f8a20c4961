"""Tables: published values next to ours, cell by cell, with verdicts, and their rendering as CSV, Markdown and LaTeX."""

from pulab.tables.cells import Place, comparison, place
from pulab.tables.record import cells_of, read_cells
from pulab.tables.render import sheet_of, write_study_table
from pulab.tables.results import Answers, Paper, Results, Table
from pulab.tables.verdict import VERDICTS, add_verdicts, judge

__all__ = [
    "VERDICTS",
    "Answers",
    "Paper",
    "Place",
    "Results",
    "Table",
    "add_verdicts",
    "cells_of",
    "comparison",
    "judge",
    "place",
    "read_cells",
    "sheet_of",
    "write_study_table",
]
