"""Reference values for the share of reproduced results: an exact rerun of the authors' code, and a placebo.

An exact rerun draws from the distributions that the published numbers came from.  Ours minus published is then normal around 0
with the standard error se of the verdict, and :func:`exact_rerun` is the probability that the rule of
:mod:`pulab.tables.verdict` calls it reproduced, or different.  The sum over cells is the number that an exact rerun is expected
to reproduce.  It is less than all, because two standard errors contain 95% of the draws and a wide spread allows no verdict.

- A cell with se = 0 does not vary: an exact rerun reproduces it.
- If only one side has a spread, se counts that side alone, as the verdict does.  This overstates the expectation, so our ratio
  is, if anything, too low.

The placebo knows the published values of a row but not their places: each cell gets the value of another cell of its row (or,
as an easier variant, any value of its table), with its spread.  All these values are equally likely, so the expected count is
the exact mean over all pairs of cells and needs no random draws.

Only performances are measured this way.  Counts of wins follow from the performances next to them, and some have no spread.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd
from scipy.special import ndtr

from pulab.tables.record import fixed_before, judged_performances, shown_causes
from pulab.tables.verdict import CLOSE, CLOSE_ENOUGH, FINE_ENOUGH, VERDICTS, judge, standard_errors

ALL = "**all**"
#: Number of bootstrap samples for the interval of a ratio, and their seed.
RESAMPLES, SEED = 10_000, 0


def exact_rerun(se: float, verdict: str = "reproduced") -> float:
    """Probability of a verdict, reproduced or different, on an exact rerun of a result.

    This is the probability of this result of :func:`pulab.tables.verdict.judge` if d, in points, is normal around 0 with
    standard deviation ``se``.

    >>> [round(exact_rerun(se), 3) for se in (0.0, 0.4, 0.5, 1.5, 2.0)]
    [1.0, 0.988, 0.954, 0.954, 0.383]
    >>> [round(exact_rerun(se, "different"), 3) for se in (0.0, 1.0, 1.5, 2.0)]
    [0.0, 0.003, 0.046, 0.046]
    """
    if se == 0:
        return float(verdict == "reproduced")
    if verdict == "different":
        return float(2 * ndtr(-max(CLOSE, 2 * se) / se))
    within = max(CLOSE_ENOUGH, 2 * se) if 2 * se <= FINE_ENOUGH else CLOSE_ENOUGH
    return float(1 - 2 * ndtr(-within / se))


def placebo(cells: pd.DataFrame, *, own: bool = False) -> float:
    """Expected number of cells judged reproduced if their published values trade places.

    The cells are those of one row, or one table, in one unit.  With ``own``, a cell may get its own value.
    """
    errors = np.array([standard_errors(cell) for cell in cells.to_dict("records")]).reshape(-1, 2)
    sides = cells[["published", "ours"]].to_numpy(dtype=float)
    points = cells["points"].to_numpy(dtype=float)
    found = [
        judge((sides[i, 1] - sides[j, 0]) * points[i], math.hypot(errors[i, 1], errors[j, 0]) * points[i])
        for i, j in product(range(len(cells)), repeat=2)
        if own or i != j
    ]
    return found.count("reproduced") / max(len(cells) - (not own), 1)


def yardstick(cells: pd.DataFrame) -> pd.DataFrame:
    """Count reproduced performances by study, with the expectation for an exact rerun and the placebo.

    The result has a row per study and one for all.  Columns: ``judged``; ``with_verdict`` (without spreads that are too wide
    for a verdict); ``reproduced``; ``different``; ``missed`` (close or different) and ``shown`` (those with a shown cause);
    ``expected`` and ``expected_different`` for an exact rerun; ``placebo`` within rows and ``placebo_tables``; ``before`` and
    ``expected_before``, reproduced and expected by the interpretations fixed before; ``ratio`` and ``ratio_before``,
    reproduced over expected.  Expected counts and placebos are not integers.
    """
    own, before = judged_performances(cells), fixed_before(cells)
    before = before[before["verdict"].isin(VERDICTS)]
    own = own.assign(shown=shown_causes(cells)[own.index])
    table = pd.DataFrame([_counts(part, before[before["study"] == study]) for study, part in own.groupby("study", sort=False)])
    table.index = pd.Index(own["study"].unique())
    table = table.reindex(columns=list(_counts(own[:0], before[:0]))).astype(float)
    table.loc[ALL] = table.sum()
    table["ratio"] = table["reproduced"] / table["expected"]
    table["ratio_before"] = table["before"] / table["expected_before"]
    return table


def _counts(own: pd.DataFrame, before: pd.DataFrame) -> dict[str, float]:
    missed = own["verdict"].isin(("close", "different"))
    groups = {name: own.groupby([*by, "points"], sort=False) for name, by in (("row", ["table", "row"]), ("table", ["table"]))}
    return {
        "judged": len(own),
        "with_verdict": (own["verdict"] != "cannot tell").sum(),
        "reproduced": (own["verdict"] == "reproduced").sum(),
        "expected": own["se"].map(exact_rerun).sum(),
        "different": (own["verdict"] == "different").sum(),
        "expected_different": own["se"].map(lambda se: exact_rerun(se, "different")).sum(),
        "missed": missed.sum(),
        "shown": (missed & own["shown"]).sum(),
        "placebo": sum(placebo(row) for _, row in groups["row"]),
        "placebo_tables": sum(placebo(table, own=True) for _, table in groups["table"]),
        "before": (before["verdict"] == "reproduced").sum(),
        "expected_before": before["se"].map(exact_rerun).sum(),
    }


def interval(cells: pd.DataFrame, by: Sequence[str] = ("study", "dataset")) -> tuple[float, float]:
    """Return a 95% interval of the ratio of all studies, from bootstrap percentiles.

    Data sets are resampled within each study; with ``("study",)``, studies are resampled.
    """
    own = judged_performances(cells)
    if own.empty:
        return math.nan, math.nan
    own = own.assign(reproduced=own["verdict"] == "reproduced", expected=own["se"].map(exact_rerun))
    clusters = own.groupby(list(by))[["reproduced", "expected"]].sum()
    strata = [part for _, part in clusters.groupby(level=0)] if len(by) > 1 else [clusters]
    rng = np.random.default_rng(SEED)
    sums = np.zeros((RESAMPLES, 2))
    for part in strata:
        sums += rng.multinomial(len(part), np.full(len(part), 1 / len(part)), RESAMPLES) @ part.to_numpy(dtype=float)
    low, high = np.percentile(sums[:, 0] / sums[:, 1], [2.5, 97.5])
    return float(low), float(high)


def most_influential(cells: pd.DataFrame) -> tuple[str, float]:
    """Return the study whose exclusion changes the ratio most, and the ratio of all others."""
    table = yardstick(cells)
    if len(table) < 3:
        return "", math.nan
    rest = table.loc[ALL] - table.drop(ALL)
    ratios = rest["reproduced"] / rest["expected"]
    name = (ratios - table.loc[ALL, "ratio"]).abs().idxmax()
    return str(name), float(ratios[name])
