"""Bayesian signed-rank test: the probability that one method is better than another by a relevant margin."""

from __future__ import annotations

from numbers import Integral, Real
from typing import NamedTuple

from sklearn.utils._param_validation import Interval, validate_params

from pulib._optional import needed_by
from pulib._typing import ArrayLike
from pulib.statistics._check import paired_vectors


class BayesianComparison(NamedTuple):
    """Posterior probabilities that the first method is better, the same or worse on a new data set; they add up to 1.

    Scores within the region of practical equivalence count as the same.

    Examples
    --------
    >>> from pulib.statistics import bayesian_signed_rank
    >>> found = bayesian_signed_rank([0.90, 0.85, 0.93, 0.88], [0.85, 0.81, 0.92, 0.88], rope=0.01)
    >>> print(f"better {found.better:.1f}, the same {found.same:.1f}, worse {found.worse:.1f}")
    better 0.8, the same 0.2, worse 0.0
    """

    better: float
    same: float
    worse: float


@validate_params(
    {
        "a": ["array-like"],
        "b": ["array-like"],
        "rope": [Interval(Real, 0, None, closed="neither")],
        "n_samples": [Interval(Integral, 1, None, closed="left")],
        "random_state": [Interval(Integral, 0, None, closed="left")],
    },
    prefer_skip_nested_validation=True,
)
def bayesian_signed_rank(
    a: ArrayLike, b: ArrayLike, *, rope: float = 0.01, n_samples: int = 5000, random_state: int = 0
) -> BayesianComparison:
    """Bayesian signed-rank test of two methods over data sets, computed by the package baycomp.

    Parameters
    ----------
    a, b : array-likes of shape (n_datasets,)
        One score of each method per data set; higher is better.
    rope : float, default=0.01
        Region of practical equivalence: scores that differ by less count as the same.  If scores are shares, the default is one
        percentage point.
    n_samples : int, default=5000
        Number of draws from the posterior.  The standard error of a probability is at most 1 / (2 √n_samples).
    random_state : int, default=0

    Returns
    -------
    probabilities : BayesianComparison
        Comparison of ``a`` with ``b``.

    Raises
    ------
    ValueError
        If the lengths differ, a value is not finite, or ``rope`` is not positive.
    ImportError
        If baycomp is not installed.

    References
    ----------
    Benavoli, Mangili, Corani, Zaffalon, Ruggeri, A Bayesian Wilcoxon signed-rank test based on the Dirichlet process (ICML
    2014); Benavoli, Corani, Demšar, Zaffalon, Time for a change (JMLR 2017), section 4.2.

    Examples
    --------
    >>> from pulib.statistics import bayesian_signed_rank
    >>> ours = [0.90, 0.85, 0.93, 0.88, 0.91, 0.87]
    >>> theirs = [0.85, 0.81, 0.90, 0.84, 0.88, 0.80]
    >>> print(f"probability that ours is better: {bayesian_signed_rank(ours, theirs, rope=0.01).better:.1f}")
    probability that ours is better: 1.0
    """
    with needed_by("bayesian_signed_rank", extra="studies"):
        from baycomp import SignedRankTest

    a, b = paired_vectors(a, b)
    # baycomp's first probability is that of its first argument
    better, same, worse = SignedRankTest.probs(a, b, rope, nsamples=n_samples, random_state=random_state)
    return BayesianComparison(better=float(better), same=float(same), worse=float(worse))
