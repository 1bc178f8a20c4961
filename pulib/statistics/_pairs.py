"""Tests of all pairs of methods over data sets: Wilcoxon's test with Holm's correction, and significant wins and losses."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils._param_validation import Interval, validate_params

from pulib._optional import needed_by
from pulib._typing import ArrayLike
from pulib.statistics._check import method_names, score_matrix
from pulib.statistics._many import holm
from pulib.statistics._paired import paired_wilcoxon

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class PairwiseTests:
    """Tests of all pairs of methods.

    Attributes
    ----------
    differences : DataFrame
        Mean difference over data sets, the row's method minus the column's.
    pvalues : DataFrame
        Wilcoxon's two-sided p-value for each pair, after Holm's correction over all pairs; 1 on the diagonal.
    wins, losses : Series
        For each method, the number of methods significantly worse, or better, at level ``alpha``, by the test's rank sums.
    alpha : float
    n_datasets : int

    Examples
    --------
    >>> from pulib.statistics import pairwise_wilcoxon
    >>> tests = pairwise_wilcoxon([[0.9 + 0.01 * k, 0.8, 0.8 - 0.01 * k] for k in range(8)])
    >>> print(f"the first against the last: p = {tests.pvalues.iloc[0, 2]:.3f}, {tests.wins.iloc[0]} wins")
    the first against the last: p = 0.023, 2 wins
    """

    differences: pd.DataFrame
    pvalues: pd.DataFrame
    wins: pd.Series
    losses: pd.Series
    alpha: float
    n_datasets: int


@validate_params(
    {"scores": ["array-like"], "alpha": [Interval(Real, 0, 1, closed="neither")], "higher_is_better": ["boolean"]},
    prefer_skip_nested_validation=True,
)
def pairwise_wilcoxon(scores: ArrayLike, alpha: float = 0.05, *, higher_is_better: bool = True) -> PairwiseTests:
    """Wilcoxon's signed-rank test of all pairs of methods, with Holm's correction for their number.

    Parameters
    ----------
    scores : DataFrame or array-like of shape (n_datasets, n_methods)
        One score per data set and method; columns name the methods.
    alpha : float in (0, 1), default=0.05
        Significance level of wins and losses.
    higher_is_better : bool, default=True

    Returns
    -------
    tests : PairwiseTests

    Raises
    ------
    ValueError
        If there are fewer than 2 methods, or a score is not finite.
    ImportError
        If pandas is not installed.

    References
    ----------
    Benavoli, Corani, Mangili, Should we really use post-hoc tests based on mean-ranks? (JMLR 2016).

    Examples
    --------
    >>> from pulib.statistics import pairwise_wilcoxon
    >>> tests = pairwise_wilcoxon([[0.9 + 0.01 * k, 0.8, 0.8 - 0.01 * k] for k in range(8)])
    >>> tests.pvalues.round(3).to_numpy().tolist()
    [[1.0, 0.023, 0.023], [0.023, 1.0, 0.023], [0.023, 0.023, 1.0]]
    >>> tests.wins.to_dict(), tests.losses.to_dict()
    ({0: 2, 1: 1, 2: 0}, {0: 0, 1: 1, 2: 2})
    """
    with needed_by("pairwise_wilcoxon", extra="plots"):
        import pandas as pd

    matrix = score_matrix(scores)
    names, (n, k) = method_names(scores), matrix.shape
    if k < 2:
        raise ValueError(f"scores has {k} columns; at least 2 methods are needed to compare them.")
    pairs = np.array(list(combinations(range(k), 2)))
    tests = [paired_wilcoxon(matrix[:, i], matrix[:, j]) for i, j in pairs]
    adjusted = holm([test.pvalue for test in tests])
    pvalues, effects = np.ones((k, k)), np.zeros((k, k))
    pvalues[pairs[:, 0], pairs[:, 1]] = pvalues[pairs[:, 1], pairs[:, 0]] = adjusted
    effects[pairs[:, 0], pairs[:, 1]] = [test.effect for test in tests]
    effects -= effects.T
    means = matrix.mean(axis=0)
    differences = means[:, None] - means[None, :]
    # by the tested rank sums: one outlier can give the mean difference the other sign
    ahead = (effects > 0) if higher_is_better else (effects < 0)
    won = ahead & (pvalues < alpha)
    return PairwiseTests(
        differences=pd.DataFrame(differences, index=names, columns=names),
        pvalues=pd.DataFrame(pvalues, index=names, columns=names),
        wins=pd.Series(won.sum(axis=1), index=names),
        losses=pd.Series(won.sum(axis=0), index=names),
        alpha=alpha,
        n_datasets=n,
    )
