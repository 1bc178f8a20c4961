"""Bar charts of feature importances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pulib.plots._style import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_importances(
    importances: ArrayLike, ax: Axes, *, names: Sequence[str] | None = None, show: int = 20, color: str = PALETTE[0]
) -> None:
    """Draw horizontal bars of the most important features, the most important one on top.

    Parameters
    ----------
    importances : array of shape (n_features,) or (n_repeats, n_features)
        An estimator's ``feature_importances_``. For several fits, bars are means with error bars of one standard deviation,
        cut at zero unless an importance is negative.
    ax : Axes
    names : sequence of str, optional
        Names of the features; None uses their numbers.
    show : int
        Number of features.
    color : str
        Color of the bars.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from pulib.plots import plot_importances
    >>> ax = Figure().add_subplot()
    >>> plot_importances([0.1, 0.6, 0.3], ax, names=["age", "dose", "weight"], show=2)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['dose', 'weight']
    """
    values = np.atleast_2d(np.asarray(importances, dtype=np.float64))
    if names is not None and len(names) != values.shape[1]:
        raise ValueError(f"names: {len(names)} names for {values.shape[1]} features; give one name per feature")
    mean = values.mean(axis=0)
    spread = values.std(axis=0, ddof=1) if len(values) > 1 else None
    order = np.argsort(-mean, kind="stable")[:show]
    places = np.arange(len(order))
    error = None
    if spread is not None:
        below = np.minimum(spread, mean) if values.min() >= 0 else spread
        error = [below[order], spread[order]]
    ax.barh(places, mean[order], xerr=error, color=color, error_kw={"elinewidth": 0.8, "ecolor": "#222222"})
    ax.set_yticks(places, [f"feature {j}" if names is None else names[j] for j in order])
    ax.invert_yaxis()
    ax.grid(axis="y", visible=False)
    ax.set_xlabel("importance")
