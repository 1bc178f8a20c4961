"""Scores from PU labels, and the area under the precision-recall curve from true labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.metrics import auc, average_precision_score, precision_recall_curve
from sklearn.utils._param_validation import StrOptions, validate_params

from pulib._labels import POS_LABEL_CONSTRAINT
from pulib._typing import ArrayLike
from pulib.metrics._formulas import LOSSES
from pulib.metrics._measure import OF_POPULATION, OF_ROWS, PRIOR, check_scores, measure, positive_rows


@validate_params({**OF_ROWS, "y_pred": ["array-like"]}, prefer_skip_nested_validation=True)
def pu_score(y: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, pos_label: Any = None) -> float:
    """Lee and Liu's PU score: squared recall divided by the share predicted positive.

    It is high if precision and recall are both high, and needs neither negatives nor the class prior.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        PU labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels, in the values of ``y``.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        The weight of each row; a row of weight 2 counts as two rows.
    pos_label : number, str, bool or None, default=None
        Label of the positives, if it cannot be inferred from ``y``.

    Returns
    -------
    score : float
        ``recall**2 / Pr(predicted positive)``, with the recall of labeled rows and the probability over all rows; 0 if no row
        is predicted positive.

    Raises
    ------
    ValueError
        If ``y`` does not have two kinds of labels, or ``y_pred`` contains other labels.

    References
    ----------
    Lee and Liu, Learning with positive and unlabeled examples using weighted logistic regression (ICML 2003); Claesen et al.,
    A robust ensemble approach to learn from positive and unlabeled data using SVM base models (2015), eq. 2.7.

    Examples
    --------
    >>> from pulib.metrics import pu_score
    >>> pu_score([1, 1, 0, 0, 0], [1, 1, 1, 0, 0])
    1.6666666666666667
    """
    return measure("pu_score", y, y_pred, sample_weight=sample_weight, pos_label=pos_label)


@validate_params({**OF_ROWS, "y_pred": ["array-like"], **OF_POPULATION}, prefer_skip_nested_validation=True)
def proxy_accuracy(
    y: ArrayLike,
    y_pred: ArrayLike,
    *,
    prior: float,
    scenario: str = "two_sample",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Estimate accuracy on the population without bias from PU labels and the class prior.

    ``accuracy = 2 π recall − π + Pr(predicted negative)``, with the recall of labeled rows and the probability over the
    unlabeled rows (two samples) or all rows (one sample).

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        PU labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels, in the values of ``y``.
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
    accuracy : float
        An unbiased estimate, which may lie outside [0, 1].

    Raises
    ------
    ValueError
        If labels are not as described, or ``prior`` is outside (0, 1) or, with one sample, below the share of labeled rows by
        more than chance explains.

    Warns
    -----
    PUWarning
        If the counts are impossible at this π: for example, the true positives alone would outnumber the rows predicted
        positive, or the accuracy is above 1.  Unless chance explains it, π is wrong, labels were not drawn at random, or the
        classifier was fitted to these rows.  The value is not clipped.

    References
    ----------
    The zero-one case of the unbiased risk of du Plessis, Niu and Sugiyama (ICML 2015).

    Examples
    --------
    >>> from pulib.metrics import proxy_accuracy
    >>> round(proxy_accuracy([1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0], prior=0.25), 3)
    1.0
    """
    return measure(
        "proxy_accuracy", y, y_pred, prior=prior, scenario=scenario, sample_weight=sample_weight, pos_label=pos_label
    )


@validate_params(
    {**OF_ROWS, "scores": ["array-like"], **OF_POPULATION, "prior": [PRIOR, None]}, prefer_skip_nested_validation=True
)
def proxy_auc(
    y: ArrayLike,
    scores: ArrayLike,
    *,
    prior: float | None = None,
    scenario: str = "two_sample",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Estimate the area under the ROC curve of positives against negatives from PU labels.

    The area of labeled against unlabeled rows is linear in the true one: ``AUC_PU = ρ/2 + (1 − ρ) AUC``, where ρ is the share
    of positives among the unlabeled rows.  Without ``prior``, AUC_PU is returned, which ranks classifiers in the same order.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        PU labels.
    scores : array-like of shape (n_samples,)
        Higher means more likely positive.
    prior : float in (0, 1) or None, default=None
        π, the share of positives in the population.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows represent the population, or the labeled and unlabeled rows together do.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        The weight of each row; a row of weight 2 counts as two rows.
    pos_label : number, str, bool or None, default=None
        Label of the positives, if it cannot be inferred from ``y``.

    Returns
    -------
    auc : float
        With ``prior``, an unbiased estimate of the true area, which may lie outside [0, 1].

    Raises
    ------
    ValueError
        If labels are not as described, scores are not finite, or ``prior`` is outside (0, 1) or, with one sample, below the
        share of labeled rows by more than chance explains.

    Warns
    -----
    PUWarning
        If the area is outside [0, 1]; see :func:`proxy_accuracy`.  The value is not clipped.

    References
    ----------
    Menon et al., Learning from corrupted binary labels via class-probability estimation (ICML 2015), corollary 3.

    Examples
    --------
    >>> from pulib.metrics import proxy_auc
    >>> proxy_auc([1, 1, 0, 0, 0, 0], [0.9, 0.8, 0.85, 0.1, 0.2, 0.3])
    0.875
    >>> proxy_auc([1, 1, 0, 0, 0, 0], [0.9, 0.8, 0.85, 0.1, 0.2, 0.3], prior=0.25)
    1.0
    """
    return measure("proxy_auc", y, scores, prior=prior, scenario=scenario, sample_weight=sample_weight, pos_label=pos_label)


@validate_params(
    {
        **OF_ROWS,
        **OF_POPULATION,
        "scores": ["array-like"],
        "loss": [StrOptions(set(LOSSES)), callable],
        "risk": [StrOptions({"upu", "nnpu"})],
    },
    prefer_skip_nested_validation=True,
)
def pu_risk(
    y: ArrayLike,
    scores: ArrayLike,
    *,
    prior: float,
    loss: str | Callable = "zero_one",
    risk: str = "upu",
    scenario: str = "two_sample",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Estimate the risk of a scoring function on the population from PU labels and the class prior.

    ``π E_P[ℓ(f)] + E_U[ℓ(−f)] − π E_P[ℓ(−f)]``; ``risk="nnpu"`` replaces a negative sum of the last two terms with 0.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        PU labels.
    scores : array-like of shape (n_samples,)
        f(x), as returned by ``decision_function``; above 0 means positive.
    prior : float in (0, 1)
        π, the share of positives in the population.
    loss : {"zero_one", "sigmoid", "logistic", "quadratic", "savage", "double_hinge"} or callable, default="zero_one"
        Loss ℓ of the margin.  A callable maps an array of margins to their losses.
    risk : {"upu", "nnpu"}, default="upu"
        The unbiased estimator, or the non-negative one, which is biased upward but never negative for non-negative losses.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether E_U is over the unlabeled rows, or over the labeled and unlabeled rows together.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        The weight of each row; a row of weight 2 counts as two rows.
    pos_label : number, str, bool or None, default=None
        Label of the positives, if it cannot be inferred from ``y``.

    Returns
    -------
    risk : float

    Raises
    ------
    ValueError
        If labels are not as described, scores are not finite, or ``prior`` is outside (0, 1) or, with one sample, below the
        share of labeled rows by more than chance explains.

    Warns
    -----
    PUWarning
        If the risk is below 0, which is impossible for a non-negative loss; see :func:`proxy_accuracy`.

    References
    ----------
    du Plessis, Niu and Sugiyama, Convex formulation for learning from positive and unlabeled data (ICML 2015); Kiryo et al.,
    Positive-unlabeled learning with non-negative risk estimator (NeurIPS 2017).

    Examples
    --------
    >>> from pulib.metrics import pu_risk
    >>> y, scores = [1, 1, 0, 0, 0, 0], [2.0, -1.0, 1.0, -1.0, -1.0, -2.0]
    >>> pu_risk(y, scores, prior=0.25)
    0.25
    >>> round(pu_risk(y, scores, prior=0.25, loss="sigmoid"), 4)
    0.3096
    """
    return measure(
        "pu_risk",
        y,
        scores,
        prior=prior,
        loss=loss,
        risk=risk,
        scenario=scenario,
        sample_weight=sample_weight,
        pos_label=pos_label,
    )


@validate_params(
    {
        "y": ["array-like"],
        "scores": ["array-like"],
        "method": [StrOptions({"trapezoid", "average_precision"})],
        "pos_label": POS_LABEL_CONSTRAINT,
    },
    prefer_skip_nested_validation=True,
)
def pr_auc(y: ArrayLike, scores: ArrayLike, method: str = "trapezoid", *, pos_label: Any = None) -> float:
    """Area under the precision-recall curve; needs true labels.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True labels of two kinds: 1 for positives, or as ``pos_label`` says.
    scores : array-like of shape (n_samples,)
        Higher means more likely positive.
    method : {"trapezoid", "average_precision"}, default="trapezoid"
        Linear interpolation of the curve, starting at recall 0 and precision 1 (as in most older tools; optimistic), or the
        step-wise sum of :func:`sklearn.metrics.average_precision_score`.
    pos_label : number, str, bool or None, default=None
        Label of the positives, if it cannot be inferred from ``y``.

    Returns
    -------
    area : float in [0, 1]
        If all scores are equal, π by average precision, but (1 + π)/2 by trapezoids, because a straight line joins the curve's
        two points.

    Raises
    ------
    ValueError
        If ``y`` does not have two kinds of labels, or scores are not finite.

    Examples
    --------
    >>> from pulib.metrics import pr_auc
    >>> round(pr_auc([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]), 4)
    0.7917
    >>> round(pr_auc([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], method="average_precision"), 4)
    0.8333
    >>> pr_auc([1, 0, 0, 0], [0, 0, 0, 0]), pr_auc([1, 0, 0, 0], [0, 0, 0, 0], method="average_precision")
    (0.625, 0.25)
    """
    positive, _ = positive_rows(y, pos_label)
    scores = check_scores(scores, len(positive))
    if method == "average_precision":
        return float(average_precision_score(positive, scores))
    precision, recall, _ = precision_recall_curve(positive, scores)
    return float(auc(recall, precision))
