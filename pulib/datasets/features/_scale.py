"""Scale features to a range, as in some of the papers' protocols."""

from __future__ import annotations

import numpy as np
from sklearn.preprocessing import MinMaxScaler


def as_floats(X: np.ndarray) -> np.ndarray:
    """Convert types of at most two bytes to float32, which is exact, and others to float64; keep float32."""
    X = np.asarray(X)
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float32 if X.dtype.itemsize <= 2 else np.float64)


def scale_to_range(
    X: np.ndarray, train: np.ndarray | slice | None = None, feature_range: tuple[float, float] = (0.0, 1.0)
) -> np.ndarray:
    """Scale each feature linearly so that the training rows span ``feature_range``.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Integers are converted; float32 stays float32.
    train : row indices, mask or slice, optional
        The rows that determine minima and maxima; all by default.  Other rows may fall outside the range.
    feature_range : (float, float), default=(0, 1)

    Returns
    -------
    scaled : float array of shape (n_samples, n_features)
        In the training rows, constant features get the lower end of the range.

    Examples
    --------
    >>> scale_to_range(np.array([[0, 5], [10, 5], [20, 6]]), slice(2), (-1, 1)).tolist()
    [[-1.0, -1.0], [1.0, -1.0], [3.0, 1.0]]
    """
    X = as_floats(X)
    scaler = MinMaxScaler(feature_range=feature_range).fit(X if train is None else X[train])
    return scaler.transform(X)
