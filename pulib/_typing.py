"""Types in public signatures."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, Union

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["ArrayLike", "MatrixLike", "RandomState", "SparseMatrix"]


class SparseMatrix(Protocol):
    """SciPy sparse matrix or array."""

    shape: Any

    def tocsr(self) -> Any: ...


#: Rows by features: an array, nested lists, a data frame, or, if the estimator accepts it, a sparse matrix.
MatrixLike: TypeAlias = Union[ArrayLike, SparseMatrix]  # noqa: UP007  ArrayLike is no class on every version of NumPy

#: A seed, a generator that advances with each use, or None for different results each time.
RandomState: TypeAlias = int | np.integer | np.random.RandomState | None
