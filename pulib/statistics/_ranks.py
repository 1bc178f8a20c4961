"""Friedman's test of many methods over many data sets, and Nemenyi's post-hoc test."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats
from sklearn.utils._param_validation import Interval, validate_params

from pulib._optional import needed_by
from pulib._typing import ArrayLike
from pulib.statistics._check import method_names, score_matrix, without_rounding_errors

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class FriedmanNemenyi:
    """Average ranks, with the tests of Friedman and Nemenyi.

    Attributes
    ----------
    average_ranks : Series
        Per method; 1 is best.
    chi2, chi2_pvalue : float
        Friedman's statistic, chi-squared with k − 1 degrees of freedom.
    f, f_pvalue : float
        Iman and Davenport's less conservative form, F with k − 1 and (k − 1)(N − 1) degrees of freedom.
    critical_difference : float
        Nemenyi's least difference of average ranks that is significant at level ``alpha``.
    pvalues : DataFrame
        Nemenyi's p-value for each pair of methods.
    alpha : float
    n_datasets : int

    Examples
    --------
    >>> from pulib.statistics import friedman_nemenyi
    >>> result = friedman_nemenyi([[0.9, 0.8, 0.5], [0.8, 0.7, 0.6], [0.7, 0.6, 0.5], [0.9, 0.8, 0.4]])
    >>> print(f"F test: p = {result.f_pvalue:.4f}, critical difference {result.critical_difference:.2f}")
    F test: p = 0.0000, critical difference 1.66
    """

    average_ranks: pd.Series
    chi2: float
    chi2_pvalue: float
    f: float
    f_pvalue: float
    critical_difference: float
    pvalues: pd.DataFrame
    alpha: float
    n_datasets: int


@validate_params(
    {
        "scores": ["array-like"],
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "higher_is_better": ["boolean"],
        "correct_ties": ["boolean"],
    },
    prefer_skip_nested_validation=True,
)
def friedman_nemenyi(
    scores: ArrayLike, alpha: float = 0.05, *, higher_is_better: bool = True, correct_ties: bool = True
) -> FriedmanNemenyi:
    """Friedman's test with Iman and Davenport's correction, then Nemenyi's test of all pairs.

    Parameters
    ----------
    scores : DataFrame or array-like of shape (n_datasets, n_methods)
        One score per data set and method; columns name the methods.
    alpha : float in (0, 1), default=0.05
        Level of the critical difference.
    higher_is_better : bool, default=True
        Rank 1 is the best; scores that are equal up to rounding errors share their mean rank.
    correct_ties : bool, default=True
        Whether to divide Friedman's statistic by its tie correction, as SciPy does, unlike Demšar's formulas.

    Returns
    -------
    result : FriedmanNemenyi

    Raises
    ------
    ValueError
        If there are fewer than 3 methods (use :func:`paired_wilcoxon`) or 2 data sets, or a score is not finite.
    ImportError
        If pandas or scikit-posthocs is not installed.

    References
    ----------
    Demšar, Statistical comparisons of classifiers over multiple data sets (JMLR 2006), section 3.2.

    Examples
    --------
    >>> import pandas as pd
    >>> from pulib.statistics import friedman_nemenyi
    >>> scores = pd.DataFrame({"a": [0.9, 0.8, 0.7, 0.9], "b": [0.8, 0.7, 0.6, 0.8], "c": [0.5, 0.6, 0.5, 0.4]})
    >>> result = friedman_nemenyi(scores)
    >>> result.average_ranks.to_dict()
    {'a': 1.0, 'b': 2.0, 'c': 3.0}
    >>> round(result.chi2, 3), round(result.critical_difference, 3)
    (8.0, 1.657)
    """
    with needed_by("friedman_nemenyi", extra="plots"):
        import pandas as pd
        from scikit_posthocs import posthoc_nemenyi_friedman

    matrix = score_matrix(scores, least_rows=2)
    names = method_names(scores)
    n, k = matrix.shape
    if k < 3:
        raise ValueError(f"scores has {k} columns; Friedman's test compares at least 3 methods. Use paired_wilcoxon for 2.")
    ranks = stats.rankdata(without_rounding_errors(-matrix if higher_is_better else matrix), axis=1)
    average = ranks.mean(axis=0)
    chi2 = 12.0 * n / (k * (k + 1)) * float(np.sum((average - 0.5 * (k + 1)) ** 2))
    if correct_ties:
        counts = [np.unique(row, return_counts=True)[1] for row in ranks]
        ties = sum(float(np.sum(count**3 - count)) for count in counts)
        correction = 1.0 - ties / (n * (k**3 - k))
        chi2 = chi2 / correction if correction > 0 else 0.0
    # chi2 is n (k - 1) if all data sets rank alike: F is then infinite
    rest = n * (k - 1) - chi2
    f = (n - 1) * chi2 / rest if rest > 1e-12 * n * k else float("inf")
    q = stats.studentized_range.ppf(1.0 - alpha, k, np.inf) / np.sqrt(2.0)
    pvalues = posthoc_nemenyi_friedman(ranks)
    return FriedmanNemenyi(
        average_ranks=pd.Series(average, index=names),
        chi2=chi2,
        chi2_pvalue=float(stats.chi2.sf(chi2, k - 1)),
        f=float(f),
        f_pvalue=float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
        critical_difference=float(q * np.sqrt(k * (k + 1) / (6.0 * n))),
        pvalues=pd.DataFrame(pvalues.to_numpy(), index=names, columns=names),
        alpha=alpha,
        n_datasets=n,
    )
