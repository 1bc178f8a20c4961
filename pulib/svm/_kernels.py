"""Kernel functions κ(x, z), named or callable, resolved once and evaluated in blocks of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils._param_validation import Interval, Options, StrOptions

from pulib._known_negatives import UNLABELED_LABEL_CONSTRAINT
from pulib._labels import POS_LABEL_CONSTRAINT
from pulib._memory import check_room
from pulib._threshold import THRESHOLD_CONSTRAINTS
from pulib.svm._smo import padded

#: Constraints of the arguments for kernel, solver, labels and threshold, shared by the kernel SVMs.
SVM_CONSTRAINTS: dict[str, list[Any]] = {
    "kernel": [StrOptions({"linear", "rbf"}), callable],
    "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="neither")],
    "tol": [Interval(Real, 0.0, None, closed="neither")],
    "max_iter": [Options(Integral, {-1}), Interval(Integral, 1, None, closed="left")],
    "pos_label": POS_LABEL_CONSTRAINT,
    "unlabeled_label": UNLABELED_LABEL_CONSTRAINT,
    **THRESHOLD_CONSTRAINTS,
}
PENALTY: list[Any] = [Interval(Real, 0.0, None, closed="neither")]

#: Up to this many rows, kernel matrices are in double precision.
DOUBLE_ROWS = 4096
_BLOCK = 2**22  # entries of a block in double precision: 32 MB


@dataclass(frozen=True)
class Kernel:
    """A kernel function with resolved parameters; equal kernels compare equal."""

    function: str | Callable  # a name, or function(A, B) -> array of shape (len(A), len(B))
    gamma: float | None = None  # of the rbf kernel

    def __call__(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        """Kernel values in double precision, of shape (len(A), len(B))."""
        if callable(self.function):
            values = np.asarray(self.function(A, B), dtype=np.float64)
            if values.shape != (len(A), len(B)) or not np.all(np.isfinite(values)):
                raise ValueError(
                    f"kernel={self.function!r} gave an array of shape {values.shape}; finite values of shape "
                    f"{(len(A), len(B))} are expected."
                )
            return values
        A, B = A.astype(np.float64, copy=False), B.astype(np.float64, copy=False)
        if self.function == "linear":
            return A @ B.T
        assert self.gamma is not None
        distances = euclidean_distances(A, B, squared=True)
        distances *= -self.gamma
        return np.exp(distances, out=distances)


def resolve_kernel(estimator: Any, X: np.ndarray) -> Kernel:
    """Resolve an estimator's ``kernel`` and ``gamma`` for the training rows ``X``."""
    name = estimator.kernel
    if callable(name) or name == "linear":
        return Kernel(name)
    gamma = estimator.gamma
    if gamma == "scale":
        with np.errstate(over="ignore", invalid="ignore"):
            variance = float(np.var(X, dtype=np.float64))
        gamma = 1.0 / (X.shape[1] * variance) if variance != 0 else 1.0
        if not 0 < gamma < np.inf:
            raise ValueError(
                f"gamma='scale': the variance of X, {variance:.3g}, cannot be inverted; {_size_of(X)}: scale the features."
            )
    elif gamma == "auto":
        gamma = 1.0 / X.shape[1]
    return Kernel(name, float(gamma))


def kernel_matrix(kernel: Kernel, X: np.ndarray, dtype: Any = None) -> np.ndarray:
    """Symmetric kernel matrix of ``X``, of shape (n, padded n), with zeros beyond column n.

    The default ``dtype`` is double precision up to ``DOUBLE_ROWS`` rows, and single precision (as in LIBSVM) beyond: 10,100
    rows take 409 MB.  Raises an error if the matrix does not fit in memory, or a value is not finite in that precision.
    """
    n = len(X)
    dtype = np.dtype(dtype or (np.float64 if n <= DOUBLE_ROWS else np.float32))
    check_room(
        float(n) * padded(n) * dtype.itemsize,
        f"The kernel matrix of {n:,} rows",
        "Use fewer rows, smaller resamples (BaggingSVC, RobustEnsembleSVC), or a linear model (UnbiasedPUClassifier).",
    )
    K = np.empty((n, padded(n)), dtype=dtype)
    K[:, n:] = 0
    step = max(1, _BLOCK // n)
    with np.errstate(over="ignore", invalid="ignore"):
        if kernel.function == "linear" and dtype == np.float32:
            rows = X.astype(np.float32, copy=False)
            np.matmul(rows, rows.T, out=K[:, :n])
        else:
            for start in range(0, n, step):
                stop = min(n, start + step)
                K[start:stop, :stop] = kernel(X[start:stop], X[:stop])
                K[:start, start:stop] = K[start:stop, :start].T
    if not (np.isfinite(K.min()) and np.isfinite(K.max())):  # both propagate NaN
        raise ValueError(
            f"kernel={kernel.function!r} gives values that are not finite in {dtype.name}; {_size_of(X)}: scale the features."
        )
    return K


def _size_of(X: np.ndarray) -> str:
    return f"the largest absolute value in X is {np.max(np.abs(X)):.3g}"


def combine(kernel: Kernel, rows: np.ndarray, X: np.ndarray, coefs: np.ndarray, biases: np.ndarray) -> np.ndarray:
    """Decision values ``Σ_s coefs[e, s] κ(X_s, rows) + biases[e]``, of shape (len(rows), len(coefs)), block by block.

    The kernel values of a block are computed once and shared by all SVMs.
    """
    values = np.empty((len(rows), len(coefs)))
    step = max(1, _BLOCK // max(1, len(X)))
    for start in range(0, len(rows), step):
        stop = start + step
        values[start:stop] = kernel(rows[start:stop], X) @ coefs.T
    values += biases
    return values
