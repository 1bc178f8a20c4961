"""Plot of an estimate of the class prior, with its interval and the curve behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pulib.plots._style import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pulib.priors import PriorEstimate


def plot_prior_estimate(estimate: PriorEstimate, ax: Axes, *, color: str = PALETTE[0]) -> None:
    """Draw an estimate of π with its interval, and the curve of upper bounds that best bin uses.

    At each threshold, divide the share of the population above it by the share of the labeled rows above it.  This ratio is an
    upper bound of π, and close to π if all rows above the threshold are positive.  If the curve is flat on the left, there are
    such rows.  If it still falls there, the classes overlap and the estimate may be too large.

    Parameters
    ----------
    estimate : PriorEstimate
        From :func:`pulib.prior_interval`, or ``prior_estimate_`` of a fitted learner.  Only best bin has a curve.
    ax : Axes
    color : str
        Color of the curve.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from pulib import prior_interval
    >>> from pulib.plots import plot_prior_estimate
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[rng.normal(2, 1, size=(300, 2)), rng.normal(-2, 1, size=(200, 2))]
    >>> estimate = prior_interval(X, np.r_[np.ones(200), np.zeros(300)])
    >>> ax = Figure().add_subplot()
    >>> plot_prior_estimate(estimate, ax)
    >>> ax.get_ylabel()
    'share of positives, π'
    """
    if estimate.tail_curve is not None:
        shares, ratios = (np.asarray(values) for values in estimate.tail_curve)
        if estimate.scenario == "one_sample":
            labeled = estimate.n_labeled / (estimate.n_labeled + estimate.n_unlabeled)
            ratios = labeled + (1.0 - labeled) * ratios
        ax.plot(shares, ratios, color=color, label="upper bounds of π")
    ax.axhspan(
        estimate.low, estimate.high, color="#777777", alpha=0.15, linewidth=0, label=f"{estimate.confidence:.0%} interval"
    )
    ax.axhline(estimate.prior, color="#444444", linewidth=1.0, linestyle="--", label=f"π = {estimate.prior:.3g}")
    ax.set(xlabel="share of the labeled rows above the threshold", ylabel="share of positives, π", xlim=(0, 1), ylim=(0, 1))
    ax.legend()
