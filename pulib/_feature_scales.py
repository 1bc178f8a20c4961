"""Warnings about features on very different scales, for which no single penalty, distance or step size fits."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from pulib._warnings import is_quiet, issue_warning

#: Number of evenly spread rows to inspect.
_ROWS_INSPECTED = 10_000
#: Warn if a feature's spread is this many times the median spread.
_LARGEST_SCALE_RATIO = 100.0
#: The same for distances, which add up squares (measured; docs/inside.md).
_LARGEST_DISTANCE_RATIO = 20.0
#: If a mean is this many times the spread, distances lose half of their digits.
_LARGEST_OFFSET = 1e6


def column_moments(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Mean and mean square of each column, over a sample of the rows."""
    rows = X[:: max(1, X.shape[0] // _ROWS_INSPECTED)]
    squares = rows.multiply(rows) if sparse.issparse(rows) else np.square(rows, dtype=np.float64)
    mean, square = (np.asarray(part.mean(axis=0, dtype=np.float64)).ravel() for part in (rows, squares))
    return mean, square


def warn_of_scales(X: Any, estimator: Any, kind: str = "A linear model", *, distances: bool = False) -> None:
    """Warn if features are on very different scales.

    ``kind`` describes the estimator in the message.  With ``distances``, means do not matter unless distances lose digits.
    """
    if is_quiet():
        return
    with np.errstate(over="ignore", invalid="ignore"):
        mean, square = column_moments(X)
        spread = np.sqrt(np.maximum(square - mean**2, 0.0)) if sparse.issparse(X) else _spread(X)
    if not np.isfinite(square).all():
        return  # the learner raises an error
    varying = spread > 1e-12 * np.sqrt(square)
    if not varying.any():
        return
    median = float(np.median(spread[varying]))
    size, most = np.maximum(spread, np.abs(mean)), _LARGEST_SCALE_RATIO
    if distances and size.max() <= _LARGEST_OFFSET * median:
        size, most = spread, _LARGEST_DISTANCE_RATIO
    widest = int(np.argmax(size))
    if size[widest] <= most * median:
        return
    name = getattr(estimator, "feature_names_in_", np.arange(len(spread)))[widest]
    name = name.item() if hasattr(name, "item") else name
    issue_warning(
        f"Features have very different scales: {name!r} has mean {mean[widest]:.3g} and standard deviation "
        f"{spread[widest]:.3g}, and the median feature a standard deviation of {median:.3g}. {kind} needs them on "
        f"one scale: make_pipeline(StandardScaler(), {type(estimator).__name__}(...))."
    )


def _spread(X: np.ndarray) -> np.ndarray:
    """Standard deviations, without the cancellation of mean squares and squared means."""
    return np.std(X[:: max(1, len(X) // _ROWS_INSPECTED)], axis=0, dtype=np.float64)
