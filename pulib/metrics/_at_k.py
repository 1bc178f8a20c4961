"""Positives among the first k rows, for triage, fraud detection and screening."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from sklearn.utils._param_validation import Interval, RealNotInt, validate_params

from pulib._typing import ArrayLike
from pulib.metrics._measure import OF_POPULATION, OF_ROWS, SCENARIO, measure

_K = [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="right")]
_LABELS: dict[str, list] = {**OF_ROWS, "scores": ["array-like"], "k": _K}


@validate_params({**_LABELS, **OF_POPULATION}, prefer_skip_nested_validation=True)
def proxy_precision_at_k(
    y: ArrayLike,
    scores: ArrayLike,
    k: int | float,
    *,
    prior: float,
    scenario: str = "two_sample",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Estimate the share of positives among the k highest-scoring rows from PU labels and the class prior.

    ``precision = π r / q``, where q is the share of the population among the first k rows, and r that of the labeled rows with
    at least their scores.  Values above one are set to one.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        PU labels of rows that the classifier was not fitted on.
    scores : array-like of shape (n_samples,)
        Higher means more likely positive.
    k : int, or float in (0, 1]
        Number or share of the population's highest-scoring rows.  The population is the unlabeled rows with
        ``scenario="two_sample"``, and all rows with "one_sample".  With weights, an integer is a sum of weights.
    prior : float in (0, 1)
        π, the share of positives in the population.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows represent the population, or the labeled and unlabeled rows together do.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        The weight of each row; a row of weight 2 counts as two rows.
    pos_label : number, str, bool or None, default=None
        Label of the positives, if it cannot be inferred from ``y``.

    Returns
    -------
    precision : float in [0, 1]
        If rows tie with the k-th one, the average over random ways to break the ties.

    Raises
    ------
    ValueError
        If labels are not as described, scores are not finite, the population has fewer than k rows, or ``prior`` is outside
        (0, 1) or, with one sample, below the share of labeled rows by more than chance explains.

    Warns
    -----
    PUWarning
        If the counts are impossible at this π; see :func:`proxy_accuracy`.

    See Also
    --------
    proxy_lift_at_k : The same relative to random rows, without π.

    Examples
    --------
    >>> from pulib.metrics import proxy_precision_at_k
    >>> y, scores = [1, 1, 0, 0, 0, 0, 0, 0], [0.9, 0.3, 0.8, 0.7, 0.2, 0.2, 0.1, 0.1]
    >>> proxy_precision_at_k(y, scores, 2, prior=0.5)  # half of the labeled rows score above 0.7, and a third of the others
    0.75
    """
    return measure(
        "proxy_precision_at_k", y, scores, k=k, prior=prior, scenario=scenario, sample_weight=sample_weight, pos_label=pos_label
    )


@validate_params({**_LABELS, "scenario": [SCENARIO]}, prefer_skip_nested_validation=True)
def proxy_lift_at_k(
    y: ArrayLike,
    scores: ArrayLike,
    k: int | float,
    *,
    scenario: str = "two_sample",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Estimate the share of positives among the k highest-scoring rows, divided by that among k random rows; needs no π.

    ``lift = r / q``, the precision at k divided by π, with q and r as in :func:`proxy_precision_at_k`.

    Parameters
    ----------
    y, scores, k, scenario, sample_weight, pos_label
        As in :func:`proxy_precision_at_k`.

    Returns
    -------
    lift : float
        1 for scores without skill; at most ``1 / max(π, q)``, apart from chance.

    Raises
    ------
    ValueError
        If labels are not as described, scores are not finite, or the population has fewer than k rows.

    Examples
    --------
    >>> from pulib.metrics import proxy_lift_at_k
    >>> y, scores = [1, 1, 0, 0, 0, 0, 0, 0], [0.9, 0.3, 0.8, 0.7, 0.2, 0.2, 0.1, 0.1]
    >>> proxy_lift_at_k(y, scores, 2)
    1.5
    """
    return measure("proxy_lift_at_k", y, scores, k=k, scenario=scenario, sample_weight=sample_weight, pos_label=pos_label)
