"""Counts of wins, and Holm's correction for multiple tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils._param_validation import StrOptions, validate_params

from pulib._optional import needed_by
from pulib._typing import ArrayLike
from pulib.statistics._check import finite_vector, method_names, score_matrix, without_rounding_errors

if TYPE_CHECKING:
    import pandas as pd


@validate_params(
    {"scores": ["array-like"], "ties": [StrOptions({"all", "split", "none"})], "higher_is_better": ["boolean"]},
    prefer_skip_nested_validation=True,
)
def win_counts(scores: ArrayLike, *, ties: str = "all", higher_is_better: bool = True) -> pd.Series:
    """Count how often each method has the best score.

    Parameters
    ----------
    scores : DataFrame or array-like of shape (n_rows, n_methods)
        One row per repeat or data set.
    ties : {"all", "split", "none"}, default="all"
        If several methods share the best score, up to rounding errors, each of them wins, they split one win, or none wins.
    higher_is_better : bool, default=True

    Returns
    -------
    wins : Series
        Number of wins per method.

    Raises
    ------
    ValueError
        If ``scores`` is not a matrix, or a score is not finite.
    ImportError
        If pandas is not installed.

    Examples
    --------
    >>> from pulib.statistics import win_counts
    >>> win_counts([[0.9, 0.8], [0.7, 0.7], [0.6, 0.9]]).to_dict()
    {0: 2.0, 1: 2.0}
    """
    with needed_by("win_counts", extra="plots"):
        import pandas as pd

    matrix = without_rounding_errors(score_matrix(scores))
    best = matrix == (np.max if higher_is_better else np.min)(matrix, axis=1, keepdims=True)
    shared = best.sum(axis=1, keepdims=True)
    weight = {"all": 1.0, "split": 1.0 / shared, "none": (shared == 1).astype(float)}[ties]
    return pd.Series((best * weight).sum(axis=0), index=method_names(scores))


def holm(pvalues: ArrayLike) -> np.ndarray:
    """Adjust p-values by Holm's step-down method, which controls the probability of any false rejection.

    Parameters
    ----------
    pvalues : array-like of shape (m,)

    Returns
    -------
    adjusted : array of shape (m,)
        In the order of ``pvalues``.  Reject a hypothesis if its adjusted p-value is at most the level.

    Raises
    ------
    ValueError
        If a value is outside [0, 1].

    References
    ----------
    Holm, A simple sequentially rejective multiple test procedure (1979).

    Examples
    --------
    >>> from pulib.statistics import holm
    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    p = finite_vector(pvalues, "pvalues", least=0)
    if np.any((p < 0) | (p > 1)):
        raise ValueError(f"pvalues contains {p[(p < 0) | (p > 1)][0]}; values in [0, 1] are expected.")
    order = np.argsort(p, kind="stable")
    steps = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
