"""Gaussian basis functions, for models that are linear in their parameters but not in the features."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel


def resolve_gamma(gamma: float | str, X: Any) -> float:
    """Return γ: "scale" is 1/(d·variance of X), or 1 if X is constant, and "auto" is 1/d."""
    if not isinstance(gamma, str):
        return float(gamma)
    if gamma == "auto":
        return 1.0 / X.shape[1]
    variance = _variance_of_entries(X) if sparse.issparse(X) else np.var(X, dtype=np.float64)
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0


def _variance_of_entries(X: Any) -> float:
    """Variance of all entries of a sparse matrix, zeros included, centered first to avoid cancellation."""
    n, data = X.shape[0] * X.shape[1], X.data.astype(np.float64, copy=False)
    mean = data.sum() / n
    return float((((data - mean) ** 2).sum() + (n - data.size) * mean**2) / n)


def draw_centers(X: Any, n_basis: int, rng: np.random.RandomState) -> Any:
    """Draw at most ``n_basis`` rows of ``X`` without replacement, kept in their order."""
    chosen = np.sort(rng.choice(X.shape[0], size=min(n_basis, X.shape[0]), replace=False))
    return X[chosen]


def gaussian_features(X: Any, centers: Any, gamma: float) -> np.ndarray:
    """Return exp(−γ|x − c|²) for every row and center, as a float64 array."""
    return np.ascontiguousarray(rbf_kernel(X, centers, gamma=gamma), dtype=np.float64)
