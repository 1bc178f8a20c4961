"""Plot of a score against the class prior given to a method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import validate_params

from pulib._base import PRIOR_CONSTRAINT
from pulib.plots._style import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@validate_params({"prior": PRIOR_CONSTRAINT}, prefer_skip_nested_validation=True)
def plot_prior_sensitivity(
    priors: ArrayLike,
    scores: ArrayLike,
    ax: Axes,
    *,
    prior: float | None = None,
    interval: Sequence[float] | None = None,
    label: str = "",
    color: str = PALETTE[0],
    marker: str = "o",
) -> None:
    """Draw a score against assumed class priors, with the estimate of π, to show the cost of a wrong π.

    Parameters
    ----------
    priors : array of shape (n_priors,)
        Class priors given to the method.
    scores : array of shape (n_priors,) or (n_repeats, n_priors)
        For several repeats, the line is the mean, with a band of one standard deviation.
    ax : Axes
    prior : float, optional
        Estimate of π, drawn as a vertical line.
    interval : (low, high), optional
        Interval of the estimate, for example from :func:`pulib.prior_interval`; drawn as a shaded area.
    label, color, marker : str
        Properties of the line.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from pulib.plots import plot_prior_sensitivity
    >>> ax = Figure().add_subplot()
    >>> plot_prior_sensitivity([0.2, 0.3, 0.4], [[0.7, 0.9, 0.8], [0.7, 0.8, 0.8]], ax, prior=0.31, interval=(0.27, 0.35))
    >>> ax.get_lines()[0].get_ydata().round(2).tolist()
    [0.7, 0.85, 0.8]
    """
    priors, scores = np.asarray(priors, dtype=np.float64), np.atleast_2d(np.asarray(scores, dtype=np.float64))
    if priors.ndim != 1 or scores.ndim != 2 or scores.shape[1] != len(priors):
        raise ValueError(f"scores: shape {scores.shape} for priors of shape {priors.shape}; give one column per prior")
    order = np.argsort(priors, kind="stable")
    mean = scores.mean(axis=0)[order]
    ax.plot(priors[order], mean, color=color, marker=marker, label=label or None)
    if len(scores) > 1:
        spread = scores.std(axis=0, ddof=1)[order]
        ax.fill_between(priors[order], mean - spread, mean + spread, color=color, alpha=0.18, linewidth=0)
    if interval is not None:
        low, high = interval
        ax.axvspan(low, high, color="#777777", alpha=0.15, linewidth=0)
    if prior is not None:
        ax.axvline(prior, color="#444444", linewidth=1.0, linestyle="--")
        ax.annotate(
            f"π = {prior:.3g}", (prior, 1.0), (3, -3), xycoords=("data", "axes fraction"), textcoords="offset points", va="top"
        )
    ax.set(xlabel="assumed class prior π", ylabel="score")
    if label:
        ax.legend()
