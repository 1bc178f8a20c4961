"""Tasks, methods and areas that the chapter's claims share."""

from __future__ import annotations

import pandas as pd

from pulab.claims.evidence import Evidence, Missing, Numbers
from pulib.statistics import win_counts

DIGITS = tuple(f"mnist_digit_{digit}" for digit in range(10))
SENSIT = ("sensit_class_1", "sensit_class_2", "sensit_class_3")
#: Families of data sets; each family counts once in shares of wins.
FAMILIES = (("circle_noise",), ("cancer",), ("ijcnn1",), ("covtype",), DIGITS, SENSIT)
TASKS = tuple(name for family in FAMILIES for name in family)
METHODS = CWSVM, BAGGING, RESVM = "resvm_cwsvm", "resvm_bag", "resvm_resvm"
AREA = Numbers(metric="pr_auc")


def wins(evidence: Evidence, task: str, setting: str) -> tuple[pd.Series, int]:
    """Return how often each method has the largest area, with ties shared, and the number of repeats.

    Raises
    ------
    Missing
        If no repeat has all methods.
    """
    areas = [evidence.values(AREA(dataset=task, setting=setting, method=method)) for method in METHODS]
    scores = pd.concat(areas, axis=1, keys=METHODS).dropna()
    if scores.empty:
        raise Missing("pending", f"no repeat of {task} has all of {', '.join(METHODS)} in {setting}")
    return win_counts(scores, ties="split"), len(scores)


def spread(values: pd.Series) -> float:
    """Return the standard deviation over repeats; requires five."""
    if len(values) < 5:
        raise Missing("pending", "a spread needs 5")
    return float(values.std())


def magnitude(values: pd.Series) -> float:
    """Return the absolute value of the mean over repeats."""
    return float(abs(values.mean()))
