"""Scaling of a network's input features.

Bounded by memory: standardization reads the rows twice, in chunks, without a copy of the matrix.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from pulib._warnings import issue_warning
from pulib._weights import of_rows, ones_for_none

#: Types that are standardized without conversion, in double precision; any other type becomes float64.
KEPT_TYPES: list[Any] = [np.float64, np.float32, np.float16, *(np.dtype(f"{kind}{n}") for kind in "iu" for n in (1, 2, 4, 8))]
_CHUNK = 1 << 21  # numbers in a chunk
#: Feature sizes beyond which training fails with the usual initial weights and learning rates.
_LARGE, _SMALL = 100.0, 0.01


@dataclass(frozen=True)
class Scaling:
    """``(x − shift)·factor``, in the precision of the two; a factor of 0 removes a feature."""

    shift: np.ndarray
    factor: np.ndarray

    @property
    def exact(self) -> bool:
        """Whether rows are scaled in double precision before they become float32."""
        return self.shift.dtype == np.float64

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Scale rows to float32; a standardized value too large for float32 raises an error."""
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = ((X - self.shift) * self.factor).astype(np.float32, copy=False)
        if self.exact and not np.isfinite(scaled).all():
            column = int(np.argmin(np.isfinite(scaled).all(axis=0)))
            raise ValueError(
                f"X contains a value too large for dtype('float32') once it is standardized, in column {column}: it is more "
                "than 1e38 standard deviations from the mean of the rows given to fit."
            )
        return scaled


def fit_scaling(X: np.ndarray, how: Any, weights: np.ndarray | None = None, n_colors: int | None = None) -> Scaling | None:
    """Fit the scaling for an ``input_scaling`` other than "auto".

    With ``n_colors``, features are pixels, one color after the other, and all pixels of a color are standardized together.
    """
    if how is None:
        return None
    if how == "standardize":
        return _standardization(X, weights, n_colors)
    if how == "minmax":
        low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
        return Scaling(low.astype(np.float32), (1.0 / np.where(high > low, high - low, 1.0)).astype(np.float32))
    return Scaling(np.zeros(X.shape[1], dtype=np.float32), np.full(X.shape[1], 1.0 / how, dtype=np.float32))


def _standardization(X: np.ndarray, weights: np.ndarray | None, n_colors: int | None) -> Scaling:
    """Standardize; constant features get factor 0, because nothing can be learned about their other values."""
    mean, spread = moments(X, weights)
    if n_colors is not None:
        by_color = mean.reshape(n_colors, -1), spread.reshape(n_colors, -1)
        center = by_color[0].mean(axis=1, keepdims=True)
        spread = np.sqrt(np.mean(by_color[1] ** 2 + (by_color[0] - center) ** 2, axis=1, keepdims=True))
        mean, spread = (np.repeat(part, X.shape[1] // n_colors) for part in (center, spread))
    known = spread > np.finfo(np.float64).tiny
    return Scaling(mean, np.divide(1.0, spread, out=np.zeros_like(spread), where=known))


def moments(X: np.ndarray, weights: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each feature in double precision; a constant feature's deviation is exactly 0.

    Each feature is first scaled to [−1, 1], so that huge or tiny values neither overflow nor underflow.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.neural._scaling import moments
    >>> mean, spread = moments(np.array([[1e200, 0.1], [3e200, 0.1]]))
    >>> mean.tolist(), spread.tolist()
    ([2e+200, 0.1], [1e+200, 0.0])
    """
    low, high = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
    for part in _chunks(X):
        low, high = np.minimum(low, X[part].min(axis=0)), np.maximum(high, X[part].max(axis=0))
    middle, half = low / 2 + high / 2, high / 2 - low / 2
    middle = np.where(half > 0, middle, low)
    divisor = np.where(half > 0, half, 1.0)
    scaler, ones = StandardScaler(), ones_for_none(weights, len(X))
    for part in _chunks(X):
        scaler.partial_fit(np.subtract(X[part], middle, order="C") / divisor, sample_weight=ones[part])
    return middle + half * scaler.mean_, half * np.sqrt(scaler.var_)


def _chunks(X: np.ndarray) -> Iterator[slice]:
    step = max(1, _CHUNK // max(1, X.shape[1]))
    return (slice(start, start + step) for start in range(0, len(X), step))


def warn_of_scale(X: np.ndarray, weights: np.ndarray | None, estimator: Any) -> None:
    """Warn if a user's network receives features far from mean 0 and standard deviation 1."""
    step = max(1, len(X) // 10_000)
    mean, spread = moments(X[::step], of_rows(weights, slice(None, None, step)))
    size = np.abs(mean) + spread
    widest = int(np.argmax(size))
    if _SMALL <= size[widest] <= _LARGE or not spread.any():
        return
    name = getattr(estimator, "feature_names_in_", np.arange(len(size)))[widest]
    name = name.item() if hasattr(name, "item") else name
    issue_warning(
        f"body is your own network, which gets features as they are; {name!r} has mean {mean[widest]:.3g} and standard "
        f"deviation {spread[widest]:.3g}. Unless the network scales them itself, pass "
        "input_scaling='standardize' (or a number that divides them, such as 255 for pixels; None silences this)."
    )
