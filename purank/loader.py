"""The loader of the workflow's data sets for tables with PU labels: ``loader: purank.load_pu_table`` in an entry."""

from __future__ import annotations

import numpy as np

from pulib.datasets import Prepared, Source
from purank.tables import Reading, TableError, checked, read_table


def load_pu_table(source: Source) -> Prepared:
    """Load a table with its own labels: some rows are labeled positive, and the truth of some rows may be known.

    Options are those of :func:`purank.read_table`, which reads the table and checks it.  The target is 0 for unlabeled
    rows, 1 for labeled ones, 4 for known negatives, and for test rows, whose truth is known, 2 (positive) or 3 (negative): what
    is known of them is for testing alone.
    """
    files = source.files()
    if len(files) != 1:
        raise ValueError(f"data set {source.name!r}: purank.load_pu_table reads one file, and the entry has {len(files)}")
    options = checked(Reading, source.options, f"data set {source.name!r}: ")
    try:
        table = read_table(files[0], **options.model_dump())
    except TableError as error:
        error.args = (f"data set {source.name!r}: {error}",)
        raise
    target = np.where(table.y == -1, 4, table.y).astype(np.int16)
    if table.truth is not None:
        target[table.truth == 1], target[table.truth == 0] = 2, 3
    for code, what in ((1, "labeled"), (0, "unlabeled")):
        if not (target == code).any():
            raise TableError(
                f"data set {source.name!r}: no {what} row without a truth in column {options.truth!r}, and rows with"
                " a truth are used only for testing",
                column=options.truth,
                remedy="Leave the truth empty for the rows to train on, or omit the option",
            )
    details = {"scenario": options.scenario, "prior": options.prior, "understood": table.describe()}
    if table.groups is not None:
        details["groups"] = np.unique(table.groups, return_inverse=True)[1].tolist()
    # what unlabeled rows are goes into their name: results depend on it, and the record's names are part of a result's identity
    population = f"unlabeled, {options.scenario}, π {'not known' if options.prior is None else options.prior}"
    kinds = {0: population, 1: "labeled", 2: "test, positive", 3: "test, negative"}
    kinds |= {4: "known negative"} if (target == 4).any() else {}
    return Prepared(table.X, target, feature_names=table.feature_names, target_names=kinds, details=details)
