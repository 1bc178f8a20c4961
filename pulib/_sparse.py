"""Sparse matrices in the form that other libraries accept."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

_GREATEST = np.iinfo(np.int32).max


def with_short_indices(X: Any) -> Any:
    """Return a sparse matrix with 32-bit indices if they suffice, as scikit-learn's trees and liblinear require.

    SciPy keeps 64-bit indices regardless of the size.  Values are not copied; matrices with short indices and other input are
    returned unchanged.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from pulib._sparse import with_short_indices
    >>> long = np.array([0, 1])
    >>> X = sparse.csr_array((np.ones(1), long[1:], long), shape=(1, 2))
    >>> X.indices.dtype, with_short_indices(X).indices.dtype
    (dtype('int64'), dtype('int32'))
    """
    if not sparse.issparse(X) or X.ndim != 2 or X.format not in ("csr", "csc", "bsr", "coo"):
        return X
    parts = X.coords if X.format == "coo" else (X.indices, X.indptr)
    if all(part.dtype == np.int32 for part in parts) or max(*X.shape, X.nnz) > _GREATEST:
        return X
    short = tuple(part.astype(np.int32) for part in parts)
    return type(X)((X.data, short) if X.format == "coo" else (X.data, *short), shape=X.shape)
