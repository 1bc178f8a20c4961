"""The result of an estimate of the class prior: interval, method, assumption, and warnings."""

from __future__ import annotations

from dataclasses import dataclass, field

_ASSUMPTIONS = {
    "best_bin": "labels are missing at random among the positives, and (nearly) all rows with the highest scores are positive",
    "elkan_noto": "labels are missing at random among the positives, and classes do not overlap",
    "dedpul": "labels are missing at random among the positives, and (nearly) all rows with the highest scores are positive",
    "by_subtype": "labels are missing at random within each subtype of the positives, and (nearly) all rows with the highest "
    "scores in a subtype are positive",
    "tice": "labels are missing at random among the positives, and (nearly) all rows in some part of a tree are positive",
    "km": "labels are missing at random among the positives, and negatives are not a mixture that contains the positives",
}


@dataclass(frozen=True)
class PriorEstimate:
    """An estimate of the class prior with its interval and its assumptions.

    Attributes
    ----------
    prior : float
    low, high : float
        Ends of the interval.
    confidence : float
    method : str
    scenario : {"two_sample", "one_sample"}
    n_labeled, n_unlabeled : int
        Number of labeled and of unlabeled rows.
    warnings : tuple of str
        Doubts about the estimate, with remedies.
    tail_curve : (shares, ratios) or None
        For best bin: shares of labeled rows above thresholds, and the ratios of unlabeled to labeled shares there.  Apart from
        noise, each ratio is an upper bound on the share of positives among the unlabeled rows; the estimate is one of the
        smallest.  See :func:`pulib.plots.plot_prior_estimate`.

    Examples
    --------
    >>> from pulib.priors import PriorEstimate
    >>> estimate = PriorEstimate(0.3, 0.25, 0.36, 0.95, "best_bin", "two_sample", 200, 800)
    >>> print(estimate)
    prior_ = 0.3, estimated by best_bin (95%: 0.25 to 0.36)
    >>> estimate.assumption
    'labels are missing at random among the positives, and (nearly) all rows with the highest scores are positive'
    """

    prior: float
    low: float
    high: float
    confidence: float
    method: str
    scenario: str
    n_labeled: int
    n_unlabeled: int
    warnings: tuple[str, ...] = ()
    tail_curve: tuple[tuple[float, ...], tuple[float, ...]] | None = field(default=None, repr=False)

    @property
    def assumption(self) -> str:
        """The method's assumption about labels and classes."""
        return _ASSUMPTIONS[next(name for name in _ASSUMPTIONS if self.method.startswith(name))]

    def __str__(self) -> str:
        return (
            f"prior_ = {self.prior:.3g}, estimated by {self.method} ({self.confidence:.0%}: {self.low:.3g} to {self.high:.3g})"
        )
