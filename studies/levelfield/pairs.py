"""Wilcoxon's test of all pairs of methods over tasks, with Holm's correction, and significant wins and losses.

Unlike tests of mean ranks, a test of a pair does not depend on the other methods (Benavoli, Corani, Mangili, JMLR 2016).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from pulib.statistics import holm, paired_wilcoxon

#: Significance level.
ALPHA = 0.05


@dataclass(frozen=True)
class Pairs:
    """Tests of all pairs of methods.

    Attributes
    ----------
    pvalues : DataFrame
        Two-sided, after Holm's correction over all pairs; 1 on the diagonal.
    wins, losses : Series
        For each method, the number of methods significantly worse, or better, by the test's rank sums: one outlier can give the
        mean difference the other sign.
    """

    pvalues: pd.DataFrame
    wins: pd.Series
    losses: pd.Series


def compare_pairs(scores: pd.DataFrame) -> Pairs:
    """Test all pairs of methods, given scores of tasks by methods, where higher is better."""
    pairs = np.array(list(combinations(range(scores.shape[1]), 2)))
    tests = [paired_wilcoxon(scores.iloc[:, i], scores.iloc[:, j]) for i, j in pairs]
    pvalues, effects = np.ones((2, scores.shape[1], scores.shape[1]))
    pvalues[*pairs.T] = pvalues[*pairs.T[::-1]] = holm([test.pvalue for test in tests])
    effects[*pairs.T] = [test.effect for test in tests]
    effects[*pairs.T[::-1]] = [-test.effect for test in tests]
    names, won = scores.columns, (effects > 0) & (pvalues < ALPHA)
    return Pairs(
        pvalues=pd.DataFrame(pvalues, index=names, columns=names),
        wins=pd.Series(won.sum(axis=1), index=names),
        losses=pd.Series(won.sum(axis=0), index=names),
    )
