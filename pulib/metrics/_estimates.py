"""Precision, recall, F1 and average precision on the population, estimated from PU labels and the class prior."""

from __future__ import annotations

from typing import Any

from sklearn.utils import check_consistent_length
from sklearn.utils._param_validation import validate_params

from pulib._labels import POS_LABEL_CONSTRAINT
from pulib._typing import ArrayLike
from pulib.metrics._scores import PRIOR, SCENARIO, check_scores, positive_answers, positive_rows
from pulib.metrics._tally import OF_ANSWERS, OF_SCORES, Tally, average_precision, check_prior, f1, precision, recall

_LABELS: dict[str, list] = {"y": ["array-like"], "y_pred": ["array-like"], "pos_label": POS_LABEL_CONSTRAINT}
_POPULATION: dict[str, list] = {"prior": [PRIOR], "scenario": [SCENARIO]}


def tally_of(y: Any, y_pred: Any, metric: str, pos_label: Any) -> Tally:
    """The counts that a metric is computed from: of predicted labels, or of scores."""
    positive, classes = positive_rows(y, pos_label)
    if metric in OF_SCORES:
        return Tally.of_scores(check_scores(y_pred, len(positive)), positive)
    check_consistent_length(y, y_pred)
    return Tally.of_answers(positive_answers(y_pred, classes), positive)


def estimate(tally: Tally, metric: str, prior: float, scenario: str) -> float:
    """A score by its name."""
    return {**OF_ANSWERS, **OF_SCORES}[metric](tally, prior, scenario)


@validate_params(_LABELS, prefer_skip_nested_validation=True)
def proxy_recall(y: ArrayLike, y_pred: ArrayLike, *, pos_label: Any = None) -> float:
    """The share of positives that are called positive, estimated by that of the labeled ones; needs no class prior.

    It rests on labels that are selected at random among the positives; :func:`score_bounds` tells what holds without.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        PU labels of rows that the classifier was not fitted on.
    y_pred : array-like of shape (n_samples,)
        Predicted labels, in the values of ``y``.
    pos_label : number, str, bool or None, default=None
        The label of (labeled) positives, where labels do not tell.

    Returns
    -------
    recall : float in [0, 1]

    Raises
    ------
    ValueError
        If ``y`` does not have two kinds of labels or ``y_pred`` holds other labels.

    Examples
    --------
    >>> from pulib.metrics import proxy_recall
    >>> proxy_recall([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0])
    0.5
    """
    return recall(tally_of(y, y_pred, "proxy_recall", pos_label), 0.5, "two_sample")


@validate_params({**_LABELS, **_POPULATION}, prefer_skip_nested_validation=True)
def proxy_precision(
    y: ArrayLike, y_pred: ArrayLike, *, prior: float, scenario: str = "two_sample", pos_label: Any = None
) -> float:
    """The share of positives among the rows that are called positive, estimated from PU labels and the class prior.

    With the recall of the labeled positives, ``precision = π recall / Pr(called positive)``, where the probability is over the
    unlabeled rows (two samples) or over all rows (one sample).  Where it comes out above one it is one.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        PU labels of rows that the classifier was not fitted on.
    y_pred : array-like of shape (n_samples,)
        Predicted labels, in the values of ``y``.
    prior : float in (0, 1)
        π, the share of positives in the population.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows stand for the population, or the labeled and unlabeled rows together.
    pos_label : number, str, bool or None, default=None
        The label of (labeled) positives, where labels do not tell.

    Returns
    -------
    precision : float in [0, 1]
        0 where nothing is called positive.

    Raises
    ------
    ValueError
        If labels are not as described, or ``prior`` is outside (0, 1) or below the share of labeled rows of one sample.

    References
    ----------
    Jain, White and Radivojac, Recovering true classifier performance in positive-unlabeled learning (AAAI 2017).

    Examples
    --------
    >>> from pulib.metrics import proxy_precision
    >>> proxy_precision([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], prior=0.25)
    0.5
    """
    tally = tally_of(y, y_pred, "proxy_precision", pos_label)
    check_prior(prior, tally.labeled_share, scenario)
    return precision(tally, prior, scenario)


@validate_params({**_LABELS, **_POPULATION}, prefer_skip_nested_validation=True)
def proxy_f1(y: ArrayLike, y_pred: ArrayLike, *, prior: float, scenario: str = "two_sample", pos_label: Any = None) -> float:
    """The harmonic mean of precision and recall, estimated from PU labels and the class prior.

    ``F1 = 2 π recall / (π + Pr(called positive))``, with the recall of the labeled positives.

    Parameters
    ----------
    y, y_pred, prior, scenario, pos_label
        As of :func:`proxy_precision`.

    Returns
    -------
    f1 : float in [0, 1]

    Raises
    ------
    ValueError
        As :func:`proxy_precision`.

    Examples
    --------
    >>> from pulib.metrics import proxy_f1
    >>> proxy_f1([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], prior=0.25)
    0.5
    """
    tally = tally_of(y, y_pred, "proxy_f1", pos_label)
    check_prior(prior, tally.labeled_share, scenario)
    return f1(tally, prior, scenario)


@validate_params(
    {"y": ["array-like"], "scores": ["array-like"], "pos_label": POS_LABEL_CONSTRAINT, **_POPULATION},
    prefer_skip_nested_validation=True,
)
def proxy_average_precision(
    y: ArrayLike, scores: ArrayLike, *, prior: float, scenario: str = "two_sample", pos_label: Any = None
) -> float:
    """Area under the precision-recall curve of positives against negatives, estimated from PU labels and the class prior.

    The step-wise sum of :func:`sklearn.metrics.average_precision_score`, with precision and recall at each threshold as
    :func:`proxy_precision` and :func:`proxy_recall` estimate them.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        PU labels of rows that the classifier was not fitted on.
    scores : array-like of shape (n_samples,)
        Greater means more likely positive.
    prior, scenario, pos_label
        As of :func:`proxy_precision`.

    Returns
    -------
    average_precision : float in [0, 1]

    Raises
    ------
    ValueError
        If labels are not as described, scores are not finite, or ``prior`` is outside (0, 1) or below the share of labeled
        rows of one sample.

    Examples
    --------
    >>> from pulib.metrics import proxy_average_precision
    >>> proxy_average_precision([1, 1, 0, 0, 0, 0], [0.9, 0.3, 0.8, 0.4, 0.2, 0.1], prior=0.25)
    0.75
    """
    tally = tally_of(y, scores, "proxy_average_precision", pos_label)
    check_prior(prior, tally.labeled_share, scenario)
    return average_precision(tally, prior, scenario)
