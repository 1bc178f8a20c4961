"""Dense rows for the kernels; sparse rows are converted if they fit in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from pulib._base import PUClassifierMixin
from pulib._feature_scales import warn_of_scales
from pulib._memory import check_room
from pulib._typing import ArrayLike, MatrixLike

#: Validation of ``X``.
ACCEPTED: dict[str, Any] = {"dtype": [np.float64, np.float32], "accept_sparse": "csr"}


def dense_rows(X: Any) -> np.ndarray:
    """Convert a sparse matrix to an array; raise a MemoryError before allocating if it does not fit in memory."""
    if not sparse.issparse(X):
        return X
    check_room(
        float(X.shape[0]) * X.shape[1] * X.dtype.itemsize,
        f"A support vector machine on {X.shape[0]:,} x {X.shape[1]:,} sparse values, whose rows are made dense,",
        "Use fewer columns (SelectKBest, TruncatedSVD) or rows, or a learner that works on the non-zeros: "
        "UnbiasedPUClassifier, OnlinePUClassifier.",
    )
    return X.toarray()


class KernelRowsMixin(PUClassifierMixin):
    """Validation for the SVMs, which converts sparse rows to dense ones."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _validate_fit(self, X: MatrixLike, y: ArrayLike, **check_params: Any) -> tuple[np.ndarray, np.ndarray]:
        X, positive = super()._validate_fit(X, y, **ACCEPTED, **check_params)
        kernel = self.kernel  # type: ignore[attr-defined]
        if not callable(kernel):
            kind = "A support vector machine" + (f" with kernel={kernel!r}" if kernel != "linear" else "")
            warn_of_scales(X, self, kind, distances=kernel == "rbf")
        return dense_rows(X), positive

    def _validate_predict(self, X: MatrixLike, **check_params: Any) -> np.ndarray:
        return dense_rows(super()._validate_predict(X, **ACCEPTED, **check_params))
