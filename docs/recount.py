"""Recompute the numbers of the front page from the archived files, with nothing of ours: ``python docs/recount.py``.

The rules are those of docs/studies/index.md; d is our number minus the published one and se its standard error, both in points.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

ARCHIVE = Path(__file__).parents[1] / "figures" / "paper"
TRIALS = ["dataset", "setting", "method", "metric"]
ROUNDED = 1e-4  # the file has six digits


def mean_error(sd, n, low=None, high=None):
    """Standard error of a mean, from its 95% interval where there is one; 0 without any spread."""
    error = (sd / np.sqrt(n)).fillna(0.0)
    if low is None:
        return error
    return ((high - low) / 2 / stats.t.ppf(0.975, n - 1)).fillna(error)


def judged(d, se):
    """The verdicts."""
    d, wide = np.abs(d), 2 * se
    fine = wide <= 3 + ROUNDED
    rules = [(d <= 1 + ROUNDED) | ((d <= wide + ROUNDED) & fine), d <= wide + ROUNDED, d <= 3 + ROUNDED]
    return np.select(rules, ["reproduced", "cannot tell", "close"], "different")


def exact_rerun(se):
    """Probabilities that a rerun of the authors' code, with d normal around 0, is reproduced, and that it differs."""
    safe = np.where(se > 0, se, 1)
    within = np.where(2 * se <= 3, np.maximum(1, 2 * se), 1)
    reproduced = np.where(se > 0, 1 - 2 * stats.norm.sf(within / safe), 1)
    return reproduced, np.where(se > 0, 2 * stats.norm.sf(np.maximum(3, 2 * se) / safe), 0)


def read():
    """Performances that a paper prints and that can be run here, with d, se and verdict."""
    cells = pd.read_csv(ARCHIVE / "scoreboard.csv", dtype={"row": str, "column": str, "table": str}, low_memory=False)
    cells = cells[cells["published"].notna() & (cells["kind"] == "performance")]
    cells = cells[cells["reading"] != "elsewhere"]  # which none of the reproduced papers prints
    there = cells["status"].eq("ok") & cells["stand_in"].isna() & cells["ours"].notna()
    cells = cells[there].fillna(dict.fromkeys([*TRIALS, "printed"], ""))
    cells["theirs_se"] = mean_error(cells.published_sd, cells.n_published, cells.published_low, cells.published_high)
    cells["ours_se"] = mean_error(cells.ours_sd, cells.n)
    cells["d"] = (cells.ours - cells.published) * cells.points
    cells["se"] = np.hypot(cells.theirs_se, cells.ours_se) * cells.points
    cells["judged"] = judged(cells.d, cells.se)
    cells["expected"], cells["expected_different"] = exact_rerun(cells.se)
    return cells


def counted(cells):
    """Each result once, by the main reading; what a paper prints again for the same trials counts in its first table."""
    main = cells[cells.reading == "main"]
    first = main.groupby(["study", "published", *TRIALS])["table"].transform("first")
    return main[(first == main.table) | (main[TRIALS] == "").any(axis=1)]


def by_earlier_readings(cells):
    """The same by the readings that were fixed before the published values were known, where they differ."""
    main, before = counted(cells), cells[cells.reading == "before"]
    replaced = (main.study + main.printed).isin(before.study + before.printed)
    return pd.concat([main[~replaced], before])


def placebo(cells):
    """How many are reproduced on average if each cell gets the published value of another one of its row."""
    total = 0.0
    for _, row in cells.groupby(["study", "table", "row", "points"]):
        if len(row) > 1:
            points, ours = row.points.to_numpy(), row.ours.to_numpy()
            d = (ours[:, None] - row.published.to_numpy()) * points
            se = np.hypot(row.ours_se.to_numpy()[:, None], row.theirs_se.to_numpy()) * points
            hit = judged(d, se) == "reproduced"
            total += (hit.sum() - hit.trace()) / (len(row) - 1)
    return total


def interval(cells, draws=10_000):
    """Of the ratio: data sets are resampled within studies."""
    random, sums = np.random.default_rng(0), np.zeros((draws, 2))
    sets = cells.assign(hit=cells.judged == "reproduced").groupby(["study", "dataset"])[["hit", "expected"]].sum()
    for _, own in sets.groupby(level=0):
        sums += random.multinomial(len(own), np.full(len(own), 1 / len(own)), draws) @ own.to_numpy(dtype=float)
    return np.percentile(sums[:, 0] / sums[:, 1], [2.5, 97.5])


def recount(cells):
    """The front page's numbers for all studies, or for one."""
    own, before = counted(cells), by_earlier_readings(cells)
    verdicts = own.judged.value_counts().reindex(["reproduced", "cannot tell", "close", "different"], fill_value=0)
    others = cells[(cells.reading != "main") & (cells.judged == "reproduced") & (cells.printed != "")]
    missed = own[own.judged.isin(["close", "different"])]
    earlier = (before.judged == "reproduced").sum()
    return {
        "judged": len(own),
        "reproduced": verdicts["reproduced"],
        "expected": own.expected.sum(),
        "ratio": 100 * verdicts["reproduced"] / own.expected.sum(),
        "before": earlier,
        "expected_before": before.expected.sum(),
        "ratio_before": 100 * earlier / before.expected.sum(),
        "with_verdict": len(own) - verdicts["cannot tell"],
        "different": verdicts["different"],
        "expected_different": own.expected_different.sum(),
        "placebo": placebo(own),
        "missed": len(missed),
        "shown": (missed.study + missed.printed).isin(others.study + others.printed).sum(),
    }


def main():
    cells = read()
    table = pd.DataFrame({name: recount(own) for name, own in cells.groupby("study", sort=False)} | {"all": recount(cells)}).T
    low, high = interval(counted(cells))
    sys.stdout.write(f"{table.round(1).to_string()}\n\nratio of all, 95% interval: {100 * low:.1f} to {100 * high:.1f}%\n")


if __name__ == "__main__":
    main()
