"""Rank and test the learners of the level field from its raw results, with pandas and SciPy only: ``python docs/ranks.py``."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

TIDY = Path(__file__).parents[1] / "figures" / "paper" / "tidy" / "levelfield.parquet"  # its columns: datapackage.json
NOT_RANKED = ("lf_supervised", "lf_all_", "lf_random_share")  # ceilings and trivial classifiers


def scores(trials, setting, metric):
    """Means over repeats, tasks by learners.  A learner that failed on a task is last there, below the worst score."""
    here = trials[(trials.setting == setting) & ~trials.method.str.startswith(NOT_RANKED)]
    table = here[here.metric == metric].groupby(["dataset", "method"])["value"].mean().unstack().round(12)
    failed = here[here.status == "failed"].groupby(["dataset", "method"]).size().unstack().reindex_like(table)
    table = table.where(table.notna() | failed.isna(), table.min(axis=1) - 1e-6, axis=0)
    return table.loc[:, table.notna().mean() >= 2 / 3].dropna()  # a learner with few tasks is left out, not the others' tasks


def wilcoxon(difference):
    """Wilcoxon's signed-rank test, exact with ties too: all signs of the ranks are equally likely."""
    difference = difference[difference.round(12) != 0].round(12)
    ranks, chances = (2 * stats.rankdata(difference.abs())).astype(int), np.ones(1)
    for rank in ranks:
        chances = (np.append(chances, np.zeros(rank)) + np.append(np.zeros(rank), chances)) / 2
    at = ranks[difference > 0].sum()
    return min(1.0, 2 * chances[: at + 1].sum(), 2 * chances[at:].sum())


def compare(table):
    """Mean ranks with p-values against the best one, after Holm's correction over all pairs; and Friedman's test (F)."""
    (n, k), ranks = table.shape, table.rank(axis=1, ascending=False).mean().sort_values(kind="stable")
    chi2 = stats.friedmanchisquare(*table.to_numpy().T).statistic
    p = pd.Series({pair: wilcoxon(table[pair[0]] - table[pair[1]]) for pair in combinations(table, 2)}).sort_values()
    p = (p * np.arange(len(p), 0, -1)).cummax().clip(upper=1)
    against = [1.0] + [p.get((ranks.index[0], name), p.get((name, ranks.index[0]))) for name in ranks.index[1:]]
    f = (n - 1) * chi2 / (n * (k - 1) - chi2)
    return pd.DataFrame({"mean rank": ranks, "p, best": against}), stats.f.sf(f, k - 1, (k - 1) * (n - 1))


if __name__ == "__main__":
    trials = pd.read_parquet(TIDY)
    for setting in ("estimated_two_sample", "estimated_one_sample"):
        for metric in ("accuracy", "auc") if setting in set(trials.setting) else ():
            ranked, friedman = compare(table := scores(trials, setting, metric))
            print(f"\n{setting}, {metric}: {len(table)} tasks, Friedman p = {friedman:.2g}\n{ranked.round(3).to_string()}")
