"""What the share of reproduced results is measured against: an exact rerun of the authors' code, and a placebo.

An exact rerun draws from the distributions that the published numbers came from.  Ours minus published is then normal around 0
with the standard error se of the verdict, and :func:`exact_rerun` is the probability that the rule of
:mod:`pulab.tables.verdict` calls it reproduced.  Summed over cells, that is how many an exact rerun would be expected to
reproduce: fewer than all, because two standard errors hold 95% of the draws, and because a wide spread allows no verdict.

- A cell whose two spreads are both published as 0.00 does not vary: an exact rerun reproduces it.
- If only one side has a spread, se counts that side alone, as the verdict does.  This overstates the expectation, so that our
  share of it is, if anything, too low.

The placebo knows the published values but not where they belong: it permutes them, with their spreads, among the cells of a
table.  In a uniformly random permutation every cell is equally likely to get each value, so its expected count is exact, the
mean over all pairs of cells, and needs no random draws.

Only performances are measured this way.  Counts of wins follow from the performances next to them, and some of them come
without a spread.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pandas as pd
from scipy.special import ndtr

from pulab.tables.record import judged_performances
from pulab.tables.verdict import CLOSE_ENOUGH, FINE_ENOUGH, judge, standard_errors

ALL = "**all**"
_COUNTED = ("judged", "reproduced", "expected", "fine_judged", "fine_reproduced", "fine_expected", "placebo")


def exact_rerun(se: float) -> float:
    """Probability that an exact rerun of a result is judged reproduced.

    Parameters
    ----------
    se : float
        Standard error of ours minus published, in points.

    Returns
    -------
    float
        The probability of a reproduced result (:func:`pulab.tables.verdict.judge`), where d is normal around 0 with standard
        deviation ``se``.

    >>> [round(exact_rerun(se), 3) for se in (0.0, 0.4, 0.5, 1.5, 2.0)]
    [1.0, 0.988, 0.954, 0.954, 0.383]
    """
    if se == 0:
        return 1.0
    within = max(CLOSE_ENOUGH, 2 * se) if 2 * se <= FINE_ENOUGH else CLOSE_ENOUGH
    return float(1 - 2 * ndtr(-within / se))


def placebo(cells: pd.DataFrame) -> float:
    """How many of a table's cells are expected to be judged reproduced if its published values are permuted among them.

    Parameters
    ----------
    cells : DataFrame
        One table's, in one unit, with the columns of :func:`pulab.tables.read_scoreboard`.
    """
    errors = np.array([standard_errors(cell) for cell in cells.to_dict("records")]).reshape(-1, 2)
    sides = cells[["published", "ours"]].to_numpy(dtype=float)
    points = cells["points"].to_numpy(dtype=float)
    found = [
        judge((sides[i, 1] - sides[j, 0]) * points[i], math.hypot(errors[i, 1], errors[j, 0]) * points[i])
        for i, j in product(range(len(cells)), repeat=2)
    ]
    return found.count("reproduced") / max(len(cells), 1)


def yardstick(cells: pd.DataFrame) -> pd.DataFrame:
    """Reproduced performances by study, what an exact rerun would be expected to reproduce, and the placebo.

    Parameters
    ----------
    cells : DataFrame
        As :func:`pulab.tables.read_scoreboard` returns them.

    Returns
    -------
    DataFrame
        A row per study and one for all.  Columns: ``judged``, ``reproduced``, ``expected`` (of an exact rerun); the same of
        the cells whose spread allows a verdict, ``fine_judged``, ``fine_reproduced``, ``fine_expected``;
        ``placebo``; reproduced over expected, ``ratio`` and ``fine_ratio``.  Expected counts and the placebo are not whole.
    """
    own = judged_performances(cells)
    table = pd.DataFrame(
        {study: _counts(part) for study, part in own.groupby("study", sort=False)}, index=_COUNTED, dtype=float
    ).T
    table.loc[ALL] = table.sum()
    table["ratio"] = table["reproduced"] / table["expected"]
    table["fine_ratio"] = table["fine_reproduced"] / table["fine_expected"]
    return table


def _counts(cells: pd.DataFrame) -> dict[str, float]:
    reproduced, expected = cells["verdict"] == "reproduced", cells["se"].map(exact_rerun)
    fine = 2 * cells["se"] <= FINE_ENOUGH
    tables = [table for _, table in cells.groupby(["table", "points"], sort=False)]
    return {
        "judged": len(cells),
        "reproduced": reproduced.sum(),
        "expected": expected.sum(),
        "fine_judged": fine.sum(),
        "fine_reproduced": reproduced[fine].sum(),
        "fine_expected": expected[fine].sum(),
        "placebo": sum(placebo(table) for table in tables),
    }
