"""Types in public signatures: what estimators and functions take."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, Union

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["ArrayLike", "MatrixLike", "RandomState", "SparseMatrix"]


class SparseMatrix(Protocol):
    """A sparse matrix or array of SciPy."""

    shape: Any

    def tocsr(self) -> Any: ...


#: Rows by features: an array, nested lists, a data frame; a sparse matrix where the estimator says that it takes one.
MatrixLike: TypeAlias = Union[ArrayLike, SparseMatrix]  # noqa: UP007  ArrayLike is no class on every version of NumPy

#: A seed, a generator that advances with each use, or None for different results each time.
RandomState: TypeAlias = int | np.integer | np.random.RandomState | None
