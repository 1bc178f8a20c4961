"""Tables of the level field; each function makes the table of its name."""

from __future__ import annotations

from pulab.tables import Answers, Paper, Results
from studies.levelfield.answers import answers
from studies.levelfield.tables.changes import (
    table_biased,
    table_estimated_prior,
    table_labels,
    table_scenarios,
    table_tuning,
    table_wrong,
    table_wrong_prior,
)
from studies.levelfield.tables.choice import table_advice, table_costs, table_properties, table_rare, table_sizes
from studies.levelfield.tables.ranks import (
    table_appendix,
    table_calibration,
    table_coverage,
    table_metrics,
    table_overview,
    table_ranks,
    table_tasks,
    table_trivial,
)

__all__ = [
    "table_advice",
    "table_answers",
    "table_appendix",
    "table_biased",
    "table_calibration",
    "table_costs",
    "table_coverage",
    "table_estimated_prior",
    "table_labels",
    "table_metrics",
    "table_overview",
    "table_properties",
    "table_ranks",
    "table_rare",
    "table_scenarios",
    "table_sizes",
    "table_tasks",
    "table_trivial",
    "table_tuning",
    "table_wrong",
    "table_wrong_prior",
]


def table_answers(results: Results, paper: Paper) -> Answers:
    """Answer the questions in sentences."""
    return answers(results)
