"""The training matrix as the kernels read it: codes of 8 or 16 bits where a column has few values, in rows and in columns.

A column of floats with few distinct values is kept as ranks, with a table of its values; thresholds are drawn and stored in the
values' space, so that trees are the same, bit for bit, as on the floats themselves.  Other columns keep their floats.

Bounded by memory: a pass to look for integers 0..255 (it stops at the first value that is none), one that ranks the values of
each column (a few nanoseconds a value, by hashing), one to transpose.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pulib._compiled import frozen, kernel
from pulib._missing import missing_columns

FLOAT, WIDE, NARROW = range(3)

# A node whose rows fit into so many bytes reads rows instead of columns: about a second-level cache.  Narrow rows, a few cache
# lines each, pay off beyond it: one line then serves several of the features that a node judges.
ROW_BYTES = 1 << 20
NARROW_ROW = 256
NARROW_ROW_BYTES = 8 << 20

# A matrix of floats that fits into the cache is read as it is.
RANKED_BYTES = 1 << 20
# Columns are judged by so many of their values, and ranked where at most half of these are distinct.
SAMPLE = 1 << 14
MOST_CODES = 1 << 16
# So many columns at a time are brought together from a matrix kept in rows: a cache line of 32-bit floats.
BLOCK = 16


class Data(NamedTuple):
    """The training matrix, read-only; an absent part has no elements.

    ``row_limit``: nodes of at most so many rows read rows, larger ones columns.  A row of codes holds its codes of 16 bits
    first, which ``wide_rows`` shows as such; it is the same memory.
    """

    float_rows: np.ndarray  # (n, number of float columns)
    float_columns: np.ndarray  # the transpose
    code_rows: np.ndarray  # (n, bytes) uint8
    wide_rows: np.ndarray  # (n, bytes // 2) uint16
    wide_columns: np.ndarray  # (number of columns with 16-bit codes, n) uint16
    narrow_columns: np.ndarray  # (number of columns with 8-bit codes, n) uint8
    kind: np.ndarray  # (n_features,) uint8: FLOAT, WIDE or NARROW
    slot: np.ndarray  # (n_features,) uint32: which column of its kind
    table: np.ndarray  # the values behind the codes, column after column, float64
    table_start: np.ndarray  # (n_features,) int64
    first_narrow: int  # byte of a row of codes at which those of 8 bits begin
    n_features: int
    row_limit: int
    exact: int  # 1: every code is its value, an integer 0..255, and thresholds may lie between two of them
    single: int  # 1: the values are 32-bit floats
    missing: np.ndarray | None  # (n_features,) int32: the code of NaN, 0 for floats with NaN, else -1; None without any NaN


@kernel
def holds_codes(X):
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


@kernel
def _collect(bits, step, most, slots, ranks):
    """Distinct values among every ``step``-th one, by their bits, in a hash table; -1 where there are more than ``most``.

    ``slots`` has a power of two of places, at least twice ``most``; ``ranks[k]`` is -1 where place k is free.
    """
    mask = np.uint64(len(slots) - 1)
    for k in range(len(ranks)):
        ranks[k] = -1
    count = 0
    for i in range(0, len(bits), step):
        b = bits[i]
        k = (np.uint64(b) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)) & mask
        while ranks[k] >= 0 and slots[k] != b:
            k = (k + np.uint64(1)) & mask
        if ranks[k] < 0:
            if count == most:
                return -1
            slots[k] = b
            ranks[k] = 0
            count += 1
    return count


@kernel
def _encode(bits, slots, ranks, codes):
    """The rank of each value, looked up by its bits."""
    mask = np.uint64(len(slots) - 1)
    for i in range(len(bits)):
        b = bits[i]
        k = (np.uint64(b) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)) & mask
        while slots[k] != b or ranks[k] < 0:
            k = (k + np.uint64(1)) & mask
        codes[i] = ranks[k]


def is_mapped(X: np.ndarray) -> bool:
    """Whether the array's memory is a file."""
    owner: Any = X
    while isinstance(owner, np.ndarray):
        if isinstance(owner, np.memmap):
            return True
        owner = owner.base
    return False


def without_booleans(X: Any) -> Any:
    """An array of booleans as 8-bit integers; the rest as it is."""
    if isinstance(X, np.ndarray) and X.dtype == np.bool_:
        return X.view(np.uint8)
    return X


def prepare_data(X: np.ndarray, *, holds_missing: bool = False, row_bytes: int | None = None) -> Data:
    """Lay out a validated matrix (uint8, float32 or float64, perhaps with NaN) for the kernels.

    A memory map is read in place, in the order that it has; of an array in memory both orders are kept, as codes where they
    take less room.
    """
    if not (X.flags.c_contiguous or X.flags.f_contiguous):  # such as every other column: kernels read neither order of it
        X = np.ascontiguousarray(X)
    if X.dtype != np.uint8 and holds_codes(frozen(X) if X.flags.c_contiguous else frozen(X.T)):
        X = X.astype(np.uint8)
    missing = np.where(missing_columns(X), 0, -1).astype(np.int32) if holds_missing else None
    if X.dtype != np.uint8 and X.nbytes > RANKED_BYTES and not is_mapped(X):
        ranked = rank_columns(X, missing)
        if any(column is not None for column in ranked):
            return lay_out(X, ranked, missing, row_bytes)
    rows, columns, has_both = _both_orders(X)
    d, codes = X.shape[1], X.dtype == np.uint8
    no_floats, no_codes = np.empty((0, 0), np.float32), np.empty((0, 0), np.uint8)
    return Data(
        float_rows=frozen(no_floats if codes else rows),
        float_columns=frozen(no_floats if codes else columns),
        code_rows=frozen(rows if codes else no_codes),
        wide_rows=frozen(no_codes.view(np.uint16)),
        wide_columns=frozen(no_codes.view(np.uint16)),
        narrow_columns=frozen(columns if codes else no_codes),
        kind=np.full(d, NARROW if codes else FLOAT, np.uint8),
        slot=np.arange(d, dtype=np.uint32),
        table=np.empty(0),
        table_start=np.zeros(d, np.int64),
        first_narrow=0,
        n_features=d,
        row_limit=_row_limit(d * X.itemsize, row_bytes) if has_both else (0 if rows.size == 0 or d == 1 else len(X)),
        exact=int(codes),
        single=int(X.dtype == np.float32),
        missing=missing,
    )


def _both_orders(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
    """``X`` by rows and by columns, and whether both are there; the absent one of a memory map is empty."""
    n, d = X.shape
    nothing = np.empty((0, 0), X.dtype)
    if d == 1 and X.flags.c_contiguous:
        return X, X.reshape(1, n), False
    if is_mapped(X):
        return (X, nothing, False) if X.flags.c_contiguous else (nothing, X.T, False)
    if X.flags.c_contiguous:
        columns = np.empty((d, n), X.dtype)
        _transpose(frozen(X), columns)
        return X, columns, True
    columns = np.ascontiguousarray(X.T)
    rows = np.empty((n, d), X.dtype)
    _transpose(frozen(columns), rows)
    return rows, columns, True


def _row_limit(width: int, row_bytes: int | None) -> int:
    if row_bytes is None:
        row_bytes = NARROW_ROW_BYTES if width <= NARROW_ROW else ROW_BYTES
    return row_bytes // width


def _columns(X: Any, which: Any) -> np.ndarray:
    """Some columns of a dense or sparse matrix, each as a row."""
    return X[:, which].T.toarray(order="C") if sparse.issparse(X) else np.ascontiguousarray(X[:, which].T)


def rank_columns(X: Any, missing: np.ndarray | None) -> list[tuple[np.ndarray, np.ndarray] | None]:
    """Per column of a matrix (dense, or sparse by columns) its codes and the values behind them, or None for floats.

    NaN, which sorts last, has the greatest code.
    """
    n, d = X.shape
    integer = np.dtype(f"u{X.dtype.itemsize}")
    slots, ranks = np.empty(4 * MOST_CODES, integer), np.empty(4 * MOST_CODES, np.int32)
    sample = min(n, SAMPLE)
    few = slots[: 1 << sample.bit_length()], ranks[: 1 << sample.bit_length()]
    negative_zero = np.array([-0.0], X.dtype).view(integer)[0]
    out: list[tuple[np.ndarray, np.ndarray] | None] = []
    for first in range(0, d, BLOCK):
        for j, column in enumerate(_columns(X, slice(first, first + BLOCK)), first):
            if missing is not None and missing[j] >= 0:  # of NaN's many patterns of bits, one
                column = np.where(np.isnan(column), X.dtype.type(np.nan), column)
            bits = column.view(integer)
            out.append(None)
            if _collect(bits, max(1, n // sample), sample // 2, *few) < 0:
                continue
            if _collect(bits, 1, MOST_CODES, slots, ranks) < 0:
                continue
            used = np.flatnonzero(ranks >= 0)
            if (slots[used] == negative_zero).any():  # two zeros are one value, but thresholds tell them apart
                continue
            values = slots[used].view(X.dtype)
            order = np.argsort(values)
            ranks[used[order]] = np.arange(len(used))
            codes = np.empty(n, np.uint8 if len(used) <= 256 else np.uint16)
            _encode(bits, slots, ranks, codes)
            out[-1] = codes, values[order].astype(np.float64)
    return out


def lay_out(
    X: Any, ranked: list[tuple[np.ndarray, np.ndarray] | None], missing: np.ndarray | None, row_bytes: int | None = None
) -> Data:
    """Codes where there are some, floats elsewhere."""
    n, d = X.shape
    kind = np.array([FLOAT if c is None else (WIDE if c[0].itemsize == 2 else NARROW) for c in ranked], np.uint8)
    slot = np.empty(d, np.uint32)
    for one in (FLOAT, WIDE, NARROW):
        slot[kind == one] = np.arange(np.count_nonzero(kind == one))
    n_wide, n_narrow = (int(np.count_nonzero(kind == one)) for one in (WIDE, NARROW))
    wide, narrow = np.empty((n_wide, n), np.uint16), np.empty((n_narrow, n), np.uint8)
    tables = [np.empty(0)] * d
    for j, column in enumerate(ranked):
        if column is not None:
            (wide if kind[j] == WIDE else narrow)[slot[j]] = column[0]
            tables[j] = column[1]
            if missing is not None and missing[j] >= 0:
                missing[j] = len(column[1]) - 1
            ranked[j] = None  # makes room
    # an even number of bytes, so that every row of 16-bit codes begins at one of them
    code_rows = np.zeros((n, 2 * n_wide + n_narrow + (n_narrow % 2 if n_wide else 0)), np.uint8)
    wide_rows = code_rows.view(np.uint16) if n_wide else np.empty((0, 0), np.uint16)
    if n_wide:
        wide_rows[:, :n_wide] = wide.T
    if n_narrow:
        code_rows[:, 2 * n_wide : 2 * n_wide + n_narrow] = narrow.T
    float_columns = _columns(X, np.flatnonzero(kind == FLOAT))
    float_rows = np.ascontiguousarray(float_columns.T)
    return Data(
        float_rows=frozen(float_rows),
        float_columns=frozen(float_columns),
        code_rows=frozen(code_rows),
        wide_rows=frozen(wide_rows),
        wide_columns=frozen(wide),
        narrow_columns=frozen(narrow),
        kind=kind,
        slot=slot,
        table=np.concatenate(tables),
        table_start=np.cumsum([0, *map(len, tables[:-1])], dtype=np.int64),
        first_narrow=2 * n_wide,
        n_features=d,
        row_limit=_row_limit(code_rows.shape[1] + float_rows.shape[1] * X.dtype.itemsize, row_bytes),
        exact=0,
        single=int(X.dtype == np.float32),
        missing=missing,
    )
