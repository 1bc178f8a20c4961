"""KM1 and KM2: estimate the share of a component in a mixture by kernel mean embedding (Ramaswamy, Scott and Tewari 2016).

Bounded by arithmetic: a few thousand products of the kernel matrix with a vector.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from pulib._sizes import at_most_one
from pulib._weights import ones_for_none

# Kernel widths to try, as multiples of the median distance; the authors'.
_WIDTHS = np.logspace(-1, 1, 5)
# The initial slope is measured between λ = 1 and this, as in the authors' program.
_BEGINNING = 1.05
# Largest λ of the search, which finds shares up to 1 − 1 / _GREATEST, and the tolerance of the share.
_GREATEST, _TOLERANCE = 50.0, 2e-3


@dataclass
class KernelMean:
    """Gradient thresholding of the distance between λ φ(F) + (1 − λ) φ(H) and the closest distribution, for kernel matrix K.

    F is the mixture (the unlabeled rows) and H the component (the labeled ones).  The distance d(λ) is 0 while the signed
    mixture is a distribution, up to λ* = 1 / (1 − κ) with κ the share of H in F, and then grows.  The estimate is κ = 1 − 1/λ
    for the λ at which the slope of d exceeds a threshold ν.  With D = |φ(F) − φ(H)|, the final slope of d:

    - KM1: ν = 0.8 s + 0.2 D, where s is the initial slope of d, between λ = 1 and 1.05;
    - KM2: ν = 1 / sqrt(min(n, m)), or KM1's if this exceeds 0.9 D.

    Both are from the authors' program ("gradient thresholds as detailed in the paper").  It searches λ in [1, 8] with
    tolerance 0.04, using differences of d as its slope; we search [1, 50] with tolerance 0.002 in κ, using the exact slope.
    """

    K: np.ndarray
    positive: np.ndarray
    threshold: str = "km2"

    def share(self, weights: np.ndarray) -> float:
        """Share of positives among the unlabeled rows if row i counts ``weights[i]`` times."""
        w_p, w_u = weights * self.positive, weights * ~self.positive
        component, mixture = w_p / w_p.sum(), w_u / w_u.sum()
        difference = mixture - component
        norm = float(np.sqrt(max(difference @ self.K @ difference, 0.0)))
        threshold = self._threshold(component, mixture, norm, min(w_p.sum(), w_u.sum()))
        if threshold >= norm:  # mixture and component are indistinguishable
            return 1.0 - 1.0 / _GREATEST
        low, high = 0.0, 1.0 - 1.0 / _GREATEST
        w = mixture
        while high - low > _TOLERANCE:
            kappa = 0.5 * (low + high)
            scale = 1.0 / (1.0 - kappa)
            slope, w = self._slope(scale * mixture + (1.0 - scale) * component, difference, w)
            low, high = (kappa, high) if slope < threshold else (low, kappa)
        return 0.5 * (low + high)

    def _threshold(self, component: np.ndarray, mixture: np.ndarray, norm: float, n: float) -> float:
        """Return ν; ``norm`` is D, and ``n`` the size of the smaller sample."""
        if self.threshold == "km2" and 1.0 / np.sqrt(n) <= 0.9 * norm:
            return 1.0 / float(np.sqrt(n))
        signed = _BEGINNING * mixture + (1.0 - _BEGINNING) * component
        rest = signed - closest_distribution(self.K, signed, mixture)
        slope = float(np.sqrt(max(rest @ self.K @ rest, 0.0))) / (_BEGINNING - 1.0)
        return 0.8 * slope + 0.2 * norm

    def _slope(self, signed: np.ndarray, difference: np.ndarray, start: np.ndarray) -> tuple[float, np.ndarray]:
        """Slope of d at the signed mixture: <φ(F) − φ(H), r> / |r|, where r is the residual of the closest distribution."""
        w = closest_distribution(self.K, signed, start)
        rest = self.K @ (signed - w)
        norm = float(np.sqrt(max((signed - w) @ rest, 0.0)))
        return (float(difference @ rest) / norm if norm > 1e-8 else 0.0), w


def closest_distribution(
    K: np.ndarray, target: np.ndarray, start: np.ndarray, *, max_iter: int = 2000, tol: float = 1e-9
) -> np.ndarray:
    """Find the weights w on the simplex that minimize (w − target)' K (w − target).

    Uses Nesterov's accelerated projected gradient with gradient restarts (O'Donoghue and Candès 2015).  It stops when the
    duality gap of the simplex, <gradient, w> − min gradient, is below ``tol`` or 5e-4 times the objective.
    """
    step = 1.0 / float(K.sum(axis=1).max())  # for non-negative entries, the largest row sum bounds the eigenvalues
    w, ahead, momentum = start, start, 1.0
    for _ in range(max_iter):
        gradient = K @ (ahead - target)
        following = project_on_simplex(ahead - step * gradient)
        if np.dot(ahead - following, following - w) > 0:
            momentum = 1.0
        faster = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        ahead = following + (momentum - 1.0) / faster * (following - w)
        w, momentum = following, faster
        gap = gradient @ following - gradient.min()
        if gap < max(tol, 5e-4 * float((ahead - target) @ gradient)):
            break
    return w


def project_on_simplex(v: np.ndarray) -> np.ndarray:
    """Find the closest point with non-negative entries that sum to 1."""
    sorted_v = np.sort(v)[::-1]
    surplus = np.cumsum(sorted_v) - 1.0
    active = np.flatnonzero(sorted_v * np.arange(1, len(v) + 1) > surplus)[-1]
    return np.maximum(v - surplus[active] / (active + 1.0), 0.0)


def build_kernel_mean(X: Any, positive: np.ndarray, threshold: str = "km2", weights: np.ndarray | None = None) -> KernelMean:
    """Build a Gaussian kernel of standardized features, with the width that best separates mixture and component."""
    X = X.toarray() if sparse.issparse(X) else np.asarray(X)
    X = at_most_one(X.astype(np.float64))
    scale = X.std(axis=0)
    X = X / np.where(scale > 0, scale, 1.0)
    squared = cdist(X, X, "sqeuclidean")
    median = np.median(squared[np.triu_indices(len(X), 1)])
    if median <= 0:
        median = max(float(squared.mean()), 1.0)
    weights = ones_for_none(weights, len(positive))
    difference = weights / np.where(positive, -weights[positive].sum(), weights[~positive].sum())
    best, best_distance = None, -1.0
    for width in _WIDTHS:
        K = np.exp(-squared / (2.0 * width**2 * median))
        distance = float(difference @ K @ difference)
        if distance > best_distance:
            best, best_distance = K, distance
    return KernelMean(best, positive, threshold)  # type: ignore[arg-type]  # a width is always the best
