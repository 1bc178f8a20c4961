"""Bootstrap intervals of scores from PU labels, and bounds without assumptions about the labels."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm
from sklearn.utils._param_validation import Interval, StrOptions, validate_params

from pulib._typing import ArrayLike
from pulib._warnings import issue_warning
from pulib.metrics._formulas import FORMULAS
from pulib.metrics._measure import OF_POPULATION, OF_ROWS, SCENARIO, sample_of
from pulib.metrics._registry import call, check_options
from pulib.metrics._tally import Sample, Tally, check_prior

if TYPE_CHECKING:
    from pulib.priors import PriorEstimate

#: Warn about an interval if there are fewer labels than this.
LEAST_LABELS = 10
_BOUNDED = {name for name, formula in FORMULAS.items() if formula.truth is not None}


@dataclass(frozen=True)
class ScoreInterval:
    """An estimated score with a bootstrap interval.

    Attributes
    ----------
    score, low, high : float
    metric : str
    confidence : float

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.metrics import score_interval
    >>> y, y_pred = np.repeat([1, 0], [200, 1000]), np.repeat([1, 0, 1, 0], [180, 20, 300, 700])
    >>> interval = score_interval(y, y_pred, "proxy_recall")
    >>> print(f"{interval.score:.2f} [{interval.low:.2f}, {interval.high:.2f}]")
    0.90 [0.85, 0.94]
    """

    score: float
    low: float
    high: float
    metric: str
    confidence: float


def prior_draws(prior: Any, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw ``n`` values of π: constant for a number; from an interval, split-normal on the scale of log-odds.

    The median of the draws is the estimate, and the ends of the interval are their quantiles.
    """
    if isinstance(prior, Real):
        return np.full(n, float(prior))
    middle, width = logit(prior.prior), norm.ppf(0.5 + 0.5 * prior.confidence)
    below, above = (abs(logit(np.clip(end, 1e-12, 1 - 1e-12)) - middle) / width for end in (prior.low, prior.high))
    steps = rng.standard_normal(n)
    return expit(middle + np.where(steps < 0, below, above) * steps).clip(1e-12, 1 - 1e-12)  # some metrics divide by 1 - π


def check_interval(prior: Any) -> float:
    """Return π, given a number or an estimate with an interval."""
    value: Any = prior if isinstance(prior, Real) else getattr(prior, "prior", None)
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < 1:
        raise ValueError(f"prior={prior!r}; expected a number in (0, 1), or what pulib.prior_interval returns.")
    return float(value)


@validate_params(
    {
        **OF_ROWS,
        "y_pred": ["array-like"],
        "metric": [StrOptions(set(FORMULAS))],
        "prior": "no_validation",
        "scenario": [SCENARIO],
        "confidence": [Interval(Real, 0, 1, closed="neither")],
        "n_bootstrap": [Interval(Integral, 10, None, closed="left")],
        "random_state": [Interval(Integral, 0, 2**32 - 1, closed="both")],
        "groups": ["array-like", None],
    },
    prefer_skip_nested_validation=True,
)
def score_interval(
    y: ArrayLike,
    y_pred: ArrayLike,
    metric: str,
    *,
    prior: float | PriorEstimate | None = None,
    scenario: str = "two_sample",
    confidence: float = 0.95,
    n_bootstrap: int = 1000,
    random_state: int = 0,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pos_label: Any = None,
    **options: Any,
) -> ScoreInterval:
    """Estimate a score from PU labels, with an interval by resampling rows and π.

    Labeled and unlabeled rows, or their groups, are resampled separately; with one sample, their numbers are drawn as well.
    Unlabeled rows are drawn with replacement.  Labeled rows limit the shares of positives between their scores and beyond the
    outermost ones; each draw scores these positives as low and as high as possible.  For recall, the interval is Clopper and
    Pearson's.  It is wide if labels are few, and valid from about 10 labels on.  A ``prior`` with an interval is redrawn for
    each resample, which adds the uncertainty of π.  The interval is for a fixed classifier: it covers the choice of test rows,
    not of training rows.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        PU labels of rows that the classifier was not fitted on.
    y_pred : array-like of shape (n_samples,)
        Predicted labels, in the values of ``y``; for "proxy_auc" and the metrics listed after it, scores.
    metric : {"pu_score", "proxy_recall", "proxy_precision", "proxy_f1", "proxy_accuracy", "proxy_auc", \
            "proxy_average_precision", "proxy_precision_at_k", "proxy_lift_at_k", "pu_risk"}
        Name of the function.
    prior : float in (0, 1), PriorEstimate or None, default=None
        Class prior π, or its estimate from :func:`pulib.prior_interval`.  None is for metrics that need no π.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows represent the population, or the labeled and unlabeled rows together do.
    confidence : float in (0, 1), default=0.95
    n_bootstrap : int, default=1000
        Number of resamples.
    random_state : int, default=0
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Row weights.
    groups : array-like of shape (n_samples,) or None, default=None
        Group of each row, such as the patient.  Whole groups are drawn, because rows of a group carry less information than as
        many independent rows.
    pos_label : number, str, bool or None, default=None
        Label of labeled positives, if it cannot be inferred from ``y``.
    **options
        Options of the metric: ``k``, or ``loss`` and ``risk``.

    Returns
    -------
    interval : ScoreInterval
        Percentiles of the resamples' lowest and highest scores, widened if needed to contain the score.

    Raises
    ------
    ValueError
        If labels are not as described, scores are not finite, or ``prior`` is neither a number in (0, 1) nor an estimate, is
        missing although the metric needs it, or, with one sample, is below the share of labeled rows by more
        than chance explains.

    Warns
    -----
    PUWarning
        If the score is impossible at this π, or if there are fewer than 10 labeled rows (by effective sample size, given
        weights) or, with ``groups``, fewer than 10 groups with labeled rows.

    See Also
    --------
    score_bounds : Bounds that hold regardless of which positives were labeled.

    References
    ----------
    Jain, White and Radivojac, Recovering true classifier performance in positive-unlabeled learning (AAAI 2017); Efron,
    Bootstrap methods: another look at the jackknife (Annals of Statistics 1979); Gaffke, Three test statistics for a
    nonparametric one-sided hypothesis on the mean of a nonnegative variable (Mathematical Methods of Statistics 2005).

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.metrics import score_interval
    >>> y = np.repeat([1, 0], [200, 1000])
    >>> y_pred = np.repeat([1, 0, 1, 0], [180, 20, 300, 700])  # 90% of the labeled rows, 30% of the unlabeled ones
    >>> interval = score_interval(y, y_pred, "proxy_precision", prior=0.25)
    >>> print(f"{interval.score:.2f}, {interval.low:.2f} to {interval.high:.2f}")
    0.75, 0.67 to 0.84
    """
    formula = FORMULAS[metric]
    check_options(metric, options)
    if prior is None and formula.prior == "needed":
        raise ValueError(f"score_interval: {metric} needs a prior. Pass prior=, for instance from pulib.prior_interval.")
    value = None if prior is None else check_interval(prior)
    arguments = {"scenario": scenario, "sample_weight": sample_weight, "pos_label": pos_label, **options}
    score = call(metric, y, y_pred, prior=value, **arguments)
    sample = sample_of(y, y_pred, formula.of, pos_label, sample_weight, groups)
    rng = np.random.default_rng(random_state)
    priors = [None] * n_bootstrap if prior is None else possible_priors(prior, n_bootstrap, rng, sample, scenario)
    if isinstance(options.get("k"), Integral):  # resamples of groups differ in size
        options = {**options, "k": options["k"] / float(sample.tally.population(scenario).sum())}
    ends = np.array(
        [[formula.value(one, drawn, scenario, **options) for one in sample.resampled_ends(rng, scenario)] for drawn in priors]
    )
    low = np.quantile(ends.min(axis=1), 0.5 - 0.5 * confidence)
    high = np.quantile(ends.max(axis=1), 0.5 + 0.5 * confidence)
    n_labels = sample.effective_counts[0] if groups is None else len(np.unique(sample.groups[sample.positive]))  # type: ignore[index]
    if n_labels < LEAST_LABELS:
        issue_warning(
            f"score_interval: {n_labels:.0f} {'labels' if groups is None else 'groups with labels'}; intervals hold from about "
            f"{LEAST_LABELS} on. Label more rows."
        )
    return ScoreInterval(score, min(float(low), score), max(float(high), score), metric, confidence)


def possible_priors(prior: Any, n: int, rng: np.random.Generator, sample: Sample, scenario: str) -> list[float]:
    """Draw values of π; with one sample, none is below the share of labeled rows."""
    least = sample.tally.labeled_share if scenario == "one_sample" else 0.0
    return [max(float(drawn), least) for drawn in prior_draws(prior, n, rng)]


@validate_params(
    {
        "y": ["array-like"],
        **OF_POPULATION,
        "y_pred": ["array-like"],
        "metric": [StrOptions(_BOUNDED)],
        "pos_label": OF_ROWS["pos_label"],
    },
    prefer_skip_nested_validation=True,
)
def score_bounds(
    y: ArrayLike, y_pred: ArrayLike, metric: str, *, prior: float, scenario: str = "two_sample", pos_label: Any = None
) -> tuple[float, float]:
    """Lowest and highest score that a classifier can have on the population, without assumptions about the labels.

    Which positives are labeled may depend on anything.  A share π of the population is positive; for the lower bound, these are
    the rows with the lowest scores, and for the upper bound, those with the highest.  With one sample, the labeled rows are
    always among them.  The bounds hold for these rows and do not include sampling error.

    Parameters
    ----------
    y, y_pred, scenario, pos_label
        As in :func:`score_interval`.
    metric : {"proxy_recall", "proxy_precision", "proxy_f1", "proxy_accuracy", "proxy_auc"}
        The metric must grow whenever a positive moves up the ranking; average precision may not, if scores tie.
    prior : float in (0, 1)
        Class prior π.

    Returns
    -------
    low, high : float

    Raises
    ------
    ValueError
        If labels are not as described, scores are not finite, ``prior`` is outside (0, 1) or, with one sample, below the share
        of labeled rows by more than chance explains, or π and the number of rows imply no positive or no negative.

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
    sample = sample_of(y, y_pred, FORMULAS[metric].of, pos_label)
    check_prior(prior, sample, scenario)
    tally = sample.tally
    known = tally.labeled if scenario == "one_sample" else np.zeros_like(tally.labeled)
    n = int(known.sum() + tally.unlabeled.sum())
    positives = max(round(prior * n), int(known.sum()))  # by chance, π may be below the share of labeled rows
    if not 0 < positives < n:
        raise ValueError(
            f"prior={prior} of {n} rows makes {positives} positives; at least one positive and one negative are needed."
        )
    hidden = positives - int(known.sum())
    return _extreme(tally, known, hidden, metric, first=False), _extreme(tally, known, hidden, metric, first=True)


def _extreme(tally: Tally, known: np.ndarray, hidden: int, metric: str, *, first: bool) -> float:
    """Score if the hidden positives are the first of the unlabeled rows, or the last."""
    counts = tally.unlabeled if first else tally.unlabeled[::-1]
    taken = np.diff(np.minimum(np.cumsum(counts), hidden), prepend=0)
    positives = known + (taken if first else taken[::-1])
    negatives = known + tally.unlabeled - positives
    score = -np.arange(len(counts)) if FORMULAS[metric].of == "scores" else np.array([1, 0])
    truth = np.repeat([1, 0], [positives.sum(), negatives.sum()])
    true_score: Any = FORMULAS[metric].truth
    return float(true_score(truth, np.concatenate([np.repeat(score, positives), np.repeat(score, negatives)])))
