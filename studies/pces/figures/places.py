"""Names of data sets, methods and splits in the figures, and their rows and columns in the paper's table 2."""

from __future__ import annotations

import pandas as pd

from pulab.tables.sentences import Range, counted

TITLES = {"segment": "segment, with path", "segment_foliage": "segment", "pbc": "pbc, censored left out", "pbc_recorded": "pbc"}
#: Rows and columns of table 2, which averages over twenty splits.
ROWS = {
    "postoperative": "posto",
    "segment": "segment",
    "segment_foliage": "segment",
    "veteran": "veteran",
    "pbc": "pbc",
    "pbc_recorded": "pbc",
}
COLUMNS = {
    **{f"sgbdota_{number}_{form}": f"SGBDota-{number}" for form in ("pruned", "initial") for number in (1, 2, 3)},
    "get_ensemble": "GetEnsemble",
    "pu_svm": "PU-SVM",
    "random_forest_100": "RF",
    "sgbauc_pruned": "SGBAUC",
    "random_ranking": "Random",
}
N_PUBLISHED = 20


def splits_of(tidy: pd.DataFrame) -> str:
    """State how many splits the data sets have.

    >>> splits_of(pd.DataFrame({"dataset": ["a", "a", "b", "b"], "repeat": [0, 1, 0, 1]}))
    '2 splits'
    """
    numbers = tidy.groupby("dataset")["repeat"].nunique()
    return counted(Range.of(numbers.tolist() or [0]), "split")
