"""Convert types without loss."""

from __future__ import annotations

import numpy as np


def as_floats(X: np.ndarray) -> np.ndarray:
    """Convert types of at most two bytes to float32, which is exact, and others to float64; keep float32."""
    X = np.asarray(X)
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float32 if X.dtype.itemsize <= 2 else np.float64)
