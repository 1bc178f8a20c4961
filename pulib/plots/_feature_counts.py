"""How often features were chosen: at their place for images, as bars for tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def image_shape(n_features: int) -> tuple[int, int, int] | None:
    """Channels, height and width of square images of one or three channels; None for anything else.

    >>> image_shape(3072), image_shape(784), image_shape(30)
    ((3, 32, 32), (1, 28, 28), None)
    """
    for channels in (1, 3):
        side = math.isqrt(n_features // channels)
        if side >= 8 and channels * side * side == n_features:
            return channels, side, side
    return None


def plot_feature_counts(ax: Axes, counts: np.ndarray, *, color: Any, most: float | None = None) -> Any:
    """Draw how often each feature was chosen.

    Parameters
    ----------
    ax : Axes
    counts : array of shape (n_features,)
        Features of images are in the order channel, row, column; channels are added up.
    color
        Of bars.
    most : float, optional
        The greatest count of the color scale or axis, so that several panels share one.

    Returns
    -------
    The image, for a color bar; or None where bars were drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from pulib.plots import plot_feature_counts
    >>> plot_feature_counts(Figure().add_subplot(), np.ones(784), color="C0").get_array().shape
    (28, 28)
    """
    counts = np.asarray(counts, dtype=float)
    shape = image_shape(len(counts))
    if shape is None:
        ax.bar(np.arange(len(counts)), counts, color=color, width=0.9)
        ax.set_xlabel("feature")
        ax.set_ylabel("times chosen")
        if most is not None:
            ax.set_ylim(0, 1.05 * most)
        return None
    image = ax.imshow(counts.reshape(shape).sum(axis=0), vmin=0, vmax=most, interpolation="nearest", cmap="magma")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.grid(visible=False)
    return image


def shown_counts(counts: np.ndarray) -> np.ndarray:
    """Counts as :func:`plot_feature_counts` shows them: channels of images added up."""
    counts = np.asarray(counts, dtype=float)
    shape = image_shape(len(counts))
    return counts if shape is None else counts.reshape(shape).sum(axis=0).ravel()
