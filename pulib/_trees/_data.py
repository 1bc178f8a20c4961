"""The training matrix as the kernels read it: codes of 1, 8 or 16 bits where a column has few values, in rows and in columns.

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
from pulib._memory import reserved
from pulib._missing import missing_columns
from pulib._trees._stored import Stored

FLOAT, WIDE, NARROW, BIT = range(4)

# A node whose rows fit into this many bytes, a second-level cache, reads rows instead of columns.  Narrow rows, a few cache
# lines each, pay off beyond it: one line then serves several of the features that a node judges.
ROW_BYTES = 1 << 20
NARROW_ROW = 256
NARROW_ROW_BYTES = 8 << 20

# A matrix of floats that fits into the cache is read as it is.
RANKED_BYTES = 1 << 20
# Columns are judged by so many of their values, and ranked where at most half of these are distinct.
SAMPLE = 1 << 14
MOST_CODES = 1 << 16
# So many columns at a time are brought together from a matrix kept in rows: half a cache line of 32-bit floats.  A whole one
# takes no less time, and more memory than all codes.
BLOCK = 8


class Data(NamedTuple):
    """The training matrix, read-only.

    What codes need is None where no column is kept so; then nothing is compiled for it.  Another absent part has no elements.
    ``row_limit``: nodes of at most so many rows read rows, larger ones columns.  A row of codes holds its codes of 16 bits
    first, which ``wide_rows`` shows as such; it is the same memory.  Codes of one bit come last, the first in the lowest bit.
    """

    float_rows: np.ndarray  # (n, number of float columns)
    float_columns: np.ndarray  # the transpose
    code_rows: np.ndarray | None  # (n, bytes) uint8
    wide_rows: np.ndarray | None  # (n, bytes // 2) uint16
    wide_columns: np.ndarray | None  # (number of columns with 16-bit codes, n) uint16
    narrow_columns: np.ndarray | None  # (number of columns with 8-bit codes, n) uint8
    bit_columns: np.ndarray | None  # (number of columns with 1-bit codes, bytes) uint8
    kind: np.ndarray  # (n_features,) uint8: FLOAT, WIDE, NARROW or BIT
    slot: np.ndarray  # (n_features,) uint32: which column of its kind
    table: np.ndarray | None  # the values behind the codes, column after column, float64
    table_start: np.ndarray | None  # (n_features,) int64
    first_narrow: int  # byte of a row of codes at which those of 8 bits begin
    first_bit: int  # and those of 1 bit
    coded: int | None  # 1, or None where no column is kept in codes
    floating: int | None  # 1, or None where none is kept in floats
    n_features: int
    row_limit: int
    exact: int  # 1: every code is its value, an integer 0..255, and thresholds may lie between two of them
    single: int  # 1: the values are 32-bit floats
    missing: np.ndarray | None  # (n_features,) int32: the code of NaN, 0 for floats with NaN, else -1; None without any NaN
    stored: Stored | None = None  # all values by their non-zeros: the columns are then all FLOAT, and kept nowhere else


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
def transpose(X, which, out):
    """``out[j, i] = X[i, which[j]]`` by tiles that fit into the first-level cache."""
    tile = 64
    n, d = len(X), len(which)
    for i0 in range(0, n, tile):
        i1 = i0 + tile if i0 + tile < n else n
        for j0 in range(0, d, tile):
            j1 = j0 + tile if j0 + tile < d else d
            for j in range(j0, j1):
                column = which[j]
                for i in range(i0, i1):
                    out[j, i] = X[i, column]


def _transposed(X: np.ndarray, which: np.ndarray | None = None) -> np.ndarray:
    """Some columns of a matrix kept in rows, each as a row."""
    which = np.arange(X.shape[1]) if which is None else which
    out = np.empty((len(which), len(X)), X.dtype)
    transpose(frozen(X), which, out)
    return out


@kernel
def _collect(bits, step, most, slots, ranks):
    """Count distinct values among every ``step``-th one, by their bits, in a hash table; -1 for more than ``most``.

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
        if (ranked.kind != FLOAT).any():
            return lay_out(X, ranked, missing, row_bytes)
    rows, columns, has_both = _both_orders(X)
    d, codes = X.shape[1], X.dtype == np.uint8
    no_floats = np.empty((0, 0), np.float32)
    no_codes = frozen(np.empty((0, 0), np.uint8)) if codes else None
    no_wide = frozen(np.empty((0, 0), np.uint16)) if codes else None
    return Data(
        float_rows=frozen(no_floats if codes else rows),
        float_columns=frozen(no_floats if codes else columns),
        code_rows=frozen(rows) if codes else None,
        wide_rows=no_wide,
        wide_columns=no_wide,
        narrow_columns=frozen(columns) if codes else None,
        bit_columns=no_codes,
        kind=np.full(d, NARROW if codes else FLOAT, np.uint8),
        slot=np.arange(d, dtype=np.uint32),
        table=np.empty(0) if codes else None,
        table_start=np.zeros(d, np.int64) if codes else None,
        first_narrow=0,
        first_bit=0,
        coded=1 if codes else None,
        floating=None if codes else 1,
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
        return X, _transposed(X), True
    columns = np.ascontiguousarray(X.T)
    return _transposed(columns), columns, True


def _row_limit(width: int, row_bytes: int | None) -> int:
    if row_bytes is None:
        row_bytes = NARROW_ROW_BYTES if width <= NARROW_ROW else ROW_BYTES
    return row_bytes // width


def _columns(X: Any, which: np.ndarray) -> np.ndarray:
    """Some columns of a dense or sparse matrix, each as a row."""
    if sparse.issparse(X):
        return X[:, which].T.toarray(order="C")
    return _transposed(X, which) if X.flags.c_contiguous else X.T[which]


class Ranked(NamedTuple):
    """Columns as ranks, and per column the values behind them; as in :class:`Data`."""

    kind: np.ndarray
    slot: np.ndarray
    wide: np.ndarray
    narrow: np.ndarray
    bits: np.ndarray
    tables: list[np.ndarray]  # float64; without elements for floats


def rank_columns(X: Any, missing: np.ndarray | None) -> Ranked:
    """Columns of a matrix (dense, or sparse by columns) that have few values, as codes.

    NaN, which sorts last, has the greatest code, which ``missing`` receives.
    """
    n, d = X.shape
    integer = np.dtype(f"u{X.dtype.itemsize}")
    slots, ranks = np.empty(4 * MOST_CODES, integer), np.empty(4 * MOST_CODES, np.int32)
    sample = min(n, SAMPLE)
    few = slots[: 1 << sample.bit_length()], ranks[: 1 << sample.bit_length()]
    negative_zero = np.array([-0.0], X.dtype).view(integer)[0]
    kind, tables = np.full(d, FLOAT, np.uint8), [np.empty(0)] * d
    # Room for any number of columns of each kind, so that none is moved afterwards: codes of 16 bits from its front, of 8 bits
    # from its back.
    wide = reserved((d, n), np.uint16)
    narrow = wide.view(np.uint8).reshape(2 * d, n)
    packed, unpacked = np.empty((d, -(-n // 8)), np.uint8), np.empty(n, np.uint8)
    counts = {WIDE: 0, NARROW: 0, BIT: 0}

    def rank(block: np.ndarray, first: int) -> None:
        for j, column in enumerate(block, first):
            has_missing = missing is not None and missing[j] >= 0
            if has_missing:  # of NaN's many patterns of bits, one
                column = np.where(np.isnan(column), X.dtype.type(np.nan), column)
            bits = column.view(integer)
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
            kind[j] = BIT if len(used) <= 2 else (NARROW if len(used) <= 256 else WIDE)
            tables[j] = values[order].astype(np.float64)
            at = counts[kind[j]]
            counts[kind[j]] += 1
            if kind[j] == BIT:
                _encode(bits, slots, ranks, unpacked)
                packed[at] = np.packbits(unpacked, bitorder="little")
            else:
                _encode(bits, slots, ranks, wide[at] if kind[j] == WIDE else narrow[-1 - at])
            if missing is not None and has_missing:
                missing[j] = len(used) - 1

    for first in range(0, d, BLOCK):
        rank(_columns(X, np.arange(first, min(first + BLOCK, d))), first)  # one block at a time: no name holds the last one
    slot = np.empty(d, np.uint32)
    for one in (FLOAT, WIDE, NARROW, BIT):
        slot[kind == one] = np.arange(np.count_nonzero(kind == one))
    slot[kind == NARROW] = np.arange(counts[NARROW])[::-1]
    return Ranked(kind, slot, wide[: counts[WIDE]], narrow[2 * d - counts[NARROW] :], packed[: counts[BIT]], tables)


def lay_out(X: Any, ranked: Ranked, missing: np.ndarray | None, row_bytes: int | None = None) -> Data:
    """Codes of coded columns, floats of the others."""
    n, d = X.shape
    kind, slot, wide, narrow, bits, tables = ranked
    n_wide, first_bit = len(wide), 2 * len(wide) + len(narrow)
    width = first_bit + -(-len(bits) // 8)
    # an even number of bytes, so that every row of 16-bit codes begins at one of them
    code_rows = np.zeros((n, width + (width % 2 if n_wide else 0)), np.uint8)
    wide_rows = code_rows.view(np.uint16) if n_wide else np.empty((0, 0), np.uint16)
    wide_rows[:, :n_wide] = wide.T[: len(wide_rows)]
    code_rows[:, 2 * n_wide : first_bit] = narrow.T
    for byte in range(first_bit, width):
        eight = np.unpackbits(bits[8 * (byte - first_bit) :][:8], axis=1, count=n, bitorder="little")
        eight <<= np.arange(len(eight), dtype=np.uint8)[:, None]  # a tenth of the time of np.packbits over the first axis
        code_rows[:, byte] = np.bitwise_or.reduce(eight)
    float_columns = _columns(X, np.flatnonzero(kind == FLOAT))
    float_rows = np.ascontiguousarray(float_columns.T)
    return Data(
        float_rows=frozen(float_rows),
        float_columns=frozen(float_columns),
        code_rows=frozen(code_rows),
        wide_rows=frozen(wide_rows),
        wide_columns=frozen(wide),
        narrow_columns=frozen(narrow),
        bit_columns=frozen(bits),
        kind=kind,
        slot=slot,
        table=np.concatenate(tables),
        table_start=np.cumsum([0, *map(len, tables[:-1])], dtype=np.int64),
        first_narrow=2 * n_wide,
        first_bit=first_bit,
        coded=1,
        floating=1 if len(float_columns) else None,
        n_features=d,
        row_limit=_row_limit(code_rows.shape[1] + float_rows.shape[1] * X.dtype.itemsize, row_bytes),
        exact=0,
        single=int(X.dtype == np.float32),
        missing=missing,
    )
