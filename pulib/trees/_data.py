"""The training matrix as the kernels read it: 8-bit codes where the values allow, rows, and columns.

Bounded by memory: one pass to look for codes (it stops at the first value that is none), one to transpose.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from pulib._compiled import frozen, kernel
from pulib.trees._grow import Data

# A node whose rows fit into so many bytes reads rows instead of columns: about a second-level cache.  Narrow rows, a few cache
# lines each, pay off beyond it: one line then serves several of the features that a node judges.
ROW_BYTES = 1 << 20
NARROW_ROW = 256
NARROW_ROW_BYTES = 8 << 20


@kernel
def _holds_codes(X):
    """Whether all values are integers 0..255."""
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            v = X[i, j]
            if not (v >= 0 and v <= 255) or v != np.floor(v):
                return False
    return True


@kernel
def _transpose(X, out):
    """``out[j, i] = X[i, j]`` by tiles that fit into the first-level cache."""
    tile = 64
    n, d = X.shape
    for i0 in range(0, n, tile):
        for j0 in range(0, d, tile):
            for j in range(j0, min(j0 + tile, d)):
                for i in range(i0, min(i0 + tile, n)):
                    out[j, i] = X[i, j]


def is_mapped(X: np.ndarray) -> bool:
    """Whether the array's memory is a file."""
    owner: Any = X
    while isinstance(owner, np.ndarray):
        if isinstance(owner, np.memmap):
            return True
        owner = owner.base
    return False


def densify(X: Any) -> Any:
    """Booleans as 8-bit integers and sparse matrices as arrays; the rest as it is."""
    if sparse.issparse(X):
        return X.toarray()
    if isinstance(X, np.ndarray) and X.dtype == np.bool_:
        return X.view(np.uint8)
    return X


def prepare_data(X: np.ndarray, *, row_bytes: int | None = None) -> Data:
    """Lay out a validated matrix (uint8, float32 or float64) for the kernels.

    A memory map is read in place, in the order that it has; an array in memory gets the other order beside its own.
    """
    if not (X.flags.c_contiguous or X.flags.f_contiguous):  # such as every other column: kernels read neither order of it
        X = np.ascontiguousarray(X)
    n, d = X.shape
    if X.dtype != np.uint8 and _holds_codes(frozen(X) if X.flags.c_contiguous else frozen(X.T)):
        X = X.astype(np.uint8)
    width = d * X.itemsize
    if row_bytes is None:
        row_bytes = NARROW_ROW_BYTES if width <= NARROW_ROW else ROW_BYTES
    mapped = is_mapped(X)
    nothing = np.empty((0, 0), X.dtype)
    if X.flags.c_contiguous and (mapped or d == 1):
        rows, columns, row_limit = X, (X.reshape(1, n) if d == 1 else nothing), (0 if d == 1 else n)
    elif X.flags.c_contiguous:
        columns = np.empty((d, n), X.dtype)
        _transpose(frozen(X), columns)
        rows, row_limit = X, row_bytes // width
    elif X.flags.f_contiguous and mapped:
        rows, columns, row_limit = nothing, X.T, 0
    else:
        columns = np.ascontiguousarray(X.T)
        rows = np.empty((n, d), X.dtype)
        _transpose(frozen(columns), rows)
        row_limit = row_bytes // width
    return Data(frozen(rows), frozen(columns), d, row_limit, int(X.dtype == np.uint8))
