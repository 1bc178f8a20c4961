"""Made-up results of a study and of its paper, as passed to its tables and figures."""

import pandas as pd

from pulab.plan.load import load_study
from pulab.tables import Paper, Results
from pulab.trials import results
from pulab.trials.results import COLUMNS, TIMING_COLUMNS, typed


def results_of(study, tidy, folder, preset="paper", titles=None):
    """Return tidy results of a study, read from a file in a folder, without timings."""
    found = load_study(study)
    results.write(typed(tidy, COLUMNS), folder / "tidy.parquet")
    results.write(typed(pd.DataFrame(columns=TIMING_COLUMNS), TIMING_COLUMNS), folder / "timings.parquet")
    methods = found.methods_of(preset)
    return Results(found, preset, methods, titles or {}, folder / "tidy.parquet", folder / "timings.parquet")


def paper_of(*cells):
    """Return the values that a paper publishes: cells of (table, row, column, mean)."""
    return Paper(pd.DataFrame(cells, columns=["table", "row", "column", "mean"]).assign(study="p", sd=1.0, unit="%", mark=""))
