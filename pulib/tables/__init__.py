"""Tables: published values beside ours, cell by cell, and their rendering as CSV, Markdown and LaTeX."""

from pulib.tables.cells import CELL_COLUMNS, Place, comparison_cells, read_published, times_with_reasons
from pulib.tables.render import render_latex, render_markdown, write_table
from pulib.tables.verdict import VERDICTS, add_verdicts, verdict

__all__ = [
    "CELL_COLUMNS",
    "VERDICTS",
    "Place",
    "add_verdicts",
    "comparison_cells",
    "read_published",
    "render_latex",
    "render_markdown",
    "times_with_reasons",
    "verdict",
    "write_table",
]
