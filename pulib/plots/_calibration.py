"""Reliability diagrams from true labels or PU labels."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils._param_validation import Interval, validate_params

from pulib._base import PRIOR_CONSTRAINT
from pulib._labels import encode_pu_labels
from pulib.plots._style import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@validate_params(
    {
        "y": ["array-like"],
        "probabilities": ["array-like"],
        "prior": PRIOR_CONSTRAINT,
        "n_bins": [Interval(Integral, 1, None, closed="left")],
    },
    prefer_skip_nested_validation=True,
)
def plot_calibration(
    y: ArrayLike,
    probabilities: ArrayLike,
    ax: Axes,
    *,
    prior: float | None = None,
    n_bins: int = 10,
    label: str = "",
    color: str = PALETTE[0],
    marker: str = "o",
) -> float:
    """Draw a reliability diagram: the share of positives among rows with similar predicted probabilities.

    With PU labels and π, the share in each bin follows from Bayes' rule: π times the bin's share of the labeled positives,
    divided by its share of the unlabeled rows. This assumes that labels are selected at random and that unlabeled rows
    represent the population (two samples).

    Parameters
    ----------
    y : array of shape (n_samples,)
        True labels, 1 for positives and 0 for negatives, or, with ``prior``, PU labels: 1 for labeled positives, and 0 or a
        missing value for unlabeled rows. The estimator must not have been fitted on these rows.
    probabilities : array of shape (n_samples,)
        Predicted probabilities of the positive class, in [0, 1].
    ax : Axes
    prior : float in (0, 1), optional
        Class prior π; if given, ``y`` contains PU labels.
    n_bins : int
        Number of bins of equal width.
    label, color, marker : str
        Properties of the line. The expected calibration error is appended to the label.

    Returns
    -------
    error : float in [0, 1]
        Expected calibration error: the mean distance between share and probability, with bins weighted by their rows (with
        ``prior``, by their unlabeled rows).

    Raises
    ------
    ValueError
        If there are no rows, lengths differ, a probability is outside [0, 1], ``y`` contains values other than 0 and 1, or
        ``prior`` is outside (0, 1) or given without both labeled and unlabeled rows.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from pulib.plots import plot_calibration
    >>> rng = np.random.default_rng(0)
    >>> probability = rng.uniform(size=5000)
    >>> truth = rng.uniform(size=5000) < probability
    >>> ax = Figure().add_subplot()
    >>> round(plot_calibration(truth, probability, ax), 2)
    0.01

    From PU data: a thousand of the positives labeled, all rows unlabeled.

    >>> labeled = rng.choice(np.flatnonzero(truth), 1000)
    >>> y = np.repeat([1, 0], [1000, 5000])
    >>> round(plot_calibration(y, np.append(probability[labeled], probability), ax, prior=0.5), 1)
    0.0
    """
    if prior is not None:
        y = encode_pu_labels(y)[0].astype(int)
    y, probabilities = column_or_1d(y), np.asarray(probabilities, dtype=np.float64)
    check_consistent_length(y, probabilities)
    other = ~np.isin(y, [0, 1])
    if other.any() or not len(y):
        raise ValueError(f"y: expected 0 and 1, found {y[other][:5].tolist()}; compare with the positive class first")
    if probabilities.ndim != 1 or not ((probabilities >= 0) & (probabilities <= 1)).all():
        raise ValueError("probabilities: expected one value in [0, 1] per row; pass predict_proba(X)[:, 1]")
    place = np.minimum((probabilities * n_bins).astype(np.intp), n_bins - 1)
    positive = np.asarray(y, dtype=bool)
    counted = np.ones(len(y), dtype=bool) if prior is None else ~positive
    rows = np.bincount(place[counted], minlength=n_bins)
    positives = np.bincount(place[positive], minlength=n_bins).astype(np.float64)
    if prior is not None:
        positives *= prior * rows.sum() / positives.sum()
    used = rows > 0
    share = np.clip(positives[used] / rows[used], 0.0, 1.0)
    mean = np.bincount(place[counted], weights=probabilities[counted], minlength=n_bins)[used] / rows[used]
    error = float(np.average(np.abs(share - mean), weights=rows[used]))
    ax.plot([0, 1], [0, 1], color="#777777", linewidth=0.8, linestyle="--", zorder=1)
    ax.plot(mean, share, color=color, marker=marker, label=f"{label}{', ' if label else ''}ECE {error:.3f}")
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="predicted probability", ylabel="share of positives")
    ax.legend(loc="upper left")
    return error
