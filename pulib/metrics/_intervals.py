"""How sure a score from PU labels is: intervals by bootstrap, and bounds that need no assumption about the labels."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm
from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score, roc_auc_score
from sklearn.utils._param_validation import Interval, StrOptions, validate_params

from pulib._labels import POS_LABEL_CONSTRAINT
from pulib._typing import ArrayLike
from pulib.metrics._estimates import estimate, tally_of
from pulib.metrics._scores import PRIOR, SCENARIO
from pulib.metrics._tally import OF_ANSWERS, OF_SCORES, Tally, check_prior

if TYPE_CHECKING:
    from pulib.priors import PriorEstimate

_TRUE_SCORES = {
    "proxy_accuracy": accuracy_score,
    "proxy_auc": roc_auc_score,
    "proxy_f1": lambda truth, answers: f1_score(truth, answers, zero_division=0.0),
    "proxy_precision": lambda truth, answers: precision_score(truth, answers, zero_division=0.0),
    "proxy_recall": recall_score,
}


@dataclass(frozen=True)
class ScoreInterval:
    """An estimated score with a bootstrap interval.

    Attributes
    ----------
    score, low, high : float
    metric : str
    confidence : float
    """

    score: float
    low: float
    high: float
    metric: str
    confidence: float


def prior_draws(prior: Any, n: int, rng: np.random.Generator) -> np.ndarray:
    """``n`` values of π: one that is known does not vary; one with an interval does, on the scale of its log-odds.

    The draws' median is the estimate, and the interval's ends are their quantiles: a normal distribution of two halves.
    """
    if isinstance(prior, Real):
        return np.full(n, float(prior))
    middle, width = logit(prior.prior), norm.ppf(0.5 + 0.5 * prior.confidence)
    below, above = (abs(logit(np.clip(end, 1e-12, 1 - 1e-12)) - middle) / width for end in (prior.low, prior.high))
    steps = rng.standard_normal(n)
    return expit(middle + np.where(steps < 0, below, above) * steps)


def check_interval(prior: Any) -> float:
    """π itself, of a number or of an interval."""
    value: Any = prior if isinstance(prior, Real) else getattr(prior, "prior", None)
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < 1:
        raise ValueError(f"prior={prior!r}; expected a number in (0, 1), or what pulib.prior_interval returns.")
    return float(value)


@validate_params(
    {
        "y": ["array-like"],
        "y_pred": ["array-like"],
        "metric": [StrOptions({*OF_ANSWERS, *OF_SCORES})],
        "prior": "no_validation",
        "scenario": [SCENARIO],
        "confidence": [Interval(Real, 0, 1, closed="neither")],
        "n_bootstrap": [Interval(Integral, 10, None, closed="left")],
        "random_state": [Interval(Integral, 0, 2**32 - 1, closed="both")],
        "pos_label": POS_LABEL_CONSTRAINT,
    },
    prefer_skip_nested_validation=True,
)
def score_interval(
    y: ArrayLike,
    y_pred: ArrayLike,
    metric: str,
    *,
    prior: float | PriorEstimate,
    scenario: str = "two_sample",
    confidence: float = 0.95,
    n_bootstrap: int = 1000,
    random_state: int = 0,
    pos_label: Any = None,
) -> ScoreInterval:
    """A score that is estimated from PU labels, with an interval by bootstrap over the rows and over π.

    Labeled and unlabeled rows are resampled apart from each other.  A ``prior`` with an interval of its own is drawn anew for
    each resample, so that what is not known of π is part of what is not known of the score.  The classifier stays as it is:
    the interval is about these test rows, not about other training rows.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        PU labels of rows that the classifier was not fitted on.
    y_pred : array-like of shape (n_samples,)
        Predicted labels, in the values of ``y``; scores for "proxy_auc" and "proxy_average_precision".
    metric : {"proxy_recall", "proxy_precision", "proxy_f1", "proxy_accuracy", "proxy_auc", "proxy_average_precision"}
        The function of that name.
    prior : float in (0, 1) or PriorEstimate
        π, or its estimate with an interval, as :func:`pulib.prior_interval` returns it.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows stand for the population, or the labeled and unlabeled rows together.
    confidence : float in (0, 1), default=0.95
    n_bootstrap : int, default=1000
        Resamples.
    random_state : int, default=0
    pos_label : number, str, bool or None, default=None
        The label of labeled positives, where labels do not tell.

    Returns
    -------
    interval : ScoreInterval
        With the percentiles of the resamples' scores, widened where needed to hold the score itself.

    Raises
    ------
    ValueError
        If labels are not as described, scores are not finite, or ``prior`` is neither a number in (0, 1) nor an interval, or is
        below the share of labeled rows of one sample.

    See Also
    --------
    score_bounds : What holds whichever positives were labeled.

    References
    ----------
    Jain, White and Radivojac, Recovering true classifier performance in positive-unlabeled learning (AAAI 2017); Efron,
    Bootstrap methods: another look at the jackknife (Annals of Statistics 1979).

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.metrics import score_interval
    >>> y = np.repeat([1, 0], [200, 1000])
    >>> y_pred = np.repeat([1, 0, 1, 0], [180, 20, 300, 700])  # 90% of the labeled rows, 30% of the unlabeled ones
    >>> interval = score_interval(y, y_pred, "proxy_precision", prior=0.25)
    >>> print(f"{interval.score:.2f}, {interval.low:.2f} to {interval.high:.2f}")
    0.75, 0.67 to 0.83
    """
    value = check_interval(prior)
    tally = tally_of(y, y_pred, metric, pos_label)
    check_prior(value, tally.labeled_share, scenario)
    score = estimate(tally, metric, value, scenario)
    rng = np.random.default_rng(random_state)
    priors = prior_draws(prior, n_bootstrap, rng)
    scores = [estimate(tally.resampled(rng), metric, float(drawn), scenario) for drawn in priors]
    low, high = np.quantile(scores, [0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence])
    return ScoreInterval(score, min(float(low), score), max(float(high), score), metric, confidence)


@validate_params(
    {
        "y": ["array-like"],
        "y_pred": ["array-like"],
        "metric": [StrOptions(set(_TRUE_SCORES))],
        "prior": [PRIOR],
        "scenario": [SCENARIO],
        "pos_label": POS_LABEL_CONSTRAINT,
    },
    prefer_skip_nested_validation=True,
)
def score_bounds(
    y: ArrayLike, y_pred: ArrayLike, metric: str, *, prior: float, scenario: str = "two_sample", pos_label: Any = None
) -> tuple[float, float]:
    """The least and the greatest score that a classifier can have on the population, whichever positives were labeled.

    No assumption is made about which positives are labeled, so that labels say little: a share π of the population is positive,
    and these are the rows of the least scores (the lower bound) or of the greatest (the upper one).  With one sample the
    labeled rows are known to be among them.  The bounds are those of these rows; that there are finitely many is not part of
    them.

    Parameters
    ----------
    y, y_pred, scenario, pos_label
        As of :func:`score_interval`.
    metric : {"proxy_recall", "proxy_precision", "proxy_f1", "proxy_accuracy", "proxy_auc"}
        What grows whenever a positive moves up the ranking; the average precision need not, where rows have equal scores.
    prior : float in (0, 1)
        π.

    Returns
    -------
    low, high : float

    Raises
    ------
    ValueError
        If labels are not as described, scores are not finite, ``prior`` is outside (0, 1) or below the share of labeled rows
        of one sample, or π and the number of rows leave no positive, or no negative.

    References
    ----------
    Claesen, Davis, De Smet and De Moor, Assessing binary classifiers using only positive and unlabeled data (2015), bounds a
    ranking's scores in the same way, from how many unlabeled positives can be above each threshold.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.metrics import score_bounds
    >>> y = np.repeat([1, 0], [200, 1000])
    >>> y_pred = np.repeat([1, 0, 1, 0], [180, 20, 300, 700])
    >>> score_bounds(y, y_pred, "proxy_precision", prior=0.25)  # 300 of 1,000 are called positive, and 250 are
    (0.0, 0.8333333333333334)
    >>> low, high = score_bounds(y, y_pred, "proxy_precision", prior=0.25, scenario="one_sample")
    >>> print(f"{low:.3f} to {high:.3f}")
    0.375 to 0.583
    """
    tally = tally_of(y, y_pred, metric, pos_label)
    check_prior(prior, tally.labeled_share, scenario)
    known = tally.labeled if scenario == "one_sample" else np.zeros_like(tally.labeled)
    n = int(known.sum() + tally.unlabeled.sum())
    hidden = round(prior * n) - int(known.sum())
    if not 0 < hidden + known.sum() < n or not 0 <= hidden <= tally.unlabeled.sum():
        raise ValueError(
            f"prior={prior} of {n} rows makes {hidden + int(known.sum())} positives; at least one positive and one negative "
            "are needed."
        )
    return _extreme(tally, known, hidden, metric, first=False), _extreme(tally, known, hidden, metric, first=True)


def _extreme(tally: Tally, known: np.ndarray, hidden: int, metric: str, *, first: bool) -> float:
    """The score where the unlabeled positives are the first of the unlabeled rows, or the last."""
    counts = tally.unlabeled if first else tally.unlabeled[::-1]
    taken = np.diff(np.minimum(np.cumsum(counts), hidden), prepend=0)
    positives = known + (taken if first else taken[::-1])
    negatives = known + tally.unlabeled - positives
    score = -np.arange(len(counts)) if metric in OF_SCORES else np.array([1, 0])
    truth = np.repeat([1, 0], [positives.sum(), negatives.sum()])
    return float(_TRUE_SCORES[metric](truth, np.concatenate([np.repeat(score, positives), np.repeat(score, negatives)])))
