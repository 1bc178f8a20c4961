"""A study's numbers and its paper's, made up, as its tables and figures get them."""

import pandas as pd

from pulab.plan.load import load_study
from pulab.tables import Paper, Results
from pulab.trials import results
from pulab.trials.results import COLUMNS, TIMING_COLUMNS, typed


def results_of(study, tidy, folder, preset="paper", titles=None):
    """Tidy results of a study, from a file in a folder; there are no times."""
    found = load_study(study)
    results.write(typed(tidy, COLUMNS), folder / "tidy.parquet")
    results.write(typed(pd.DataFrame(columns=TIMING_COLUMNS), TIMING_COLUMNS), folder / "timings.parquet")
    methods = found.methods_of(preset)
    return Results(found, preset, methods, titles or {}, folder / "tidy.parquet", folder / "timings.parquet")


def paper_of(*cells):
    """What a paper prints: cells of (table, row, column, mean)."""
    return Paper(pd.DataFrame(cells, columns=["table", "row", "column", "mean"]).assign(study="p", sd=1.0, unit="%", mark=""))
