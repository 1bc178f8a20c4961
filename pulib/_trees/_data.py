"""The training matrix in the layout of the kernels: by rows and by columns, with codes for columns that have few values.

A column of floats with few distinct values is stored as ranks (codes of 1, 8 or 16 bits) and a table of its values.  Thresholds
are drawn and stored as values, so that trees are identical, bit for bit, to those on the floats.  Other columns stay floats.

Bounded by memory: one pass looks for integers 0..255 (it stops at the first other value), one ranks the values of each column
by hashing (a few nanoseconds per value), and one transposes.
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

# A node whose rows fit into this many bytes (the L2 cache) reads rows instead of columns.  For narrow rows, of a few cache
# lines, this pays off up to a larger size, because one line holds several candidate features.
ROW_BYTES = 1 << 20
NARROW_ROW = 256
NARROW_ROW_BYTES = 8 << 20

# Floats are ranked only if the matrix exceeds this size (the L2 cache).
RANKED_BYTES = 1 << 20
# Size of the sample that decides whether to rank a column: at most half of its values are distinct.
SAMPLE = 1 << 14
MOST_CODES = 1 << 16
# Number of columns to gather at a time from a matrix stored by rows: half a cache line of 32-bit floats.  A whole line is no
# faster and needs more memory than all codes.
BLOCK = 8


class Data(NamedTuple):
    """The training matrix, read-only.

    Fields for codes are None if no column is coded, so that nothing is compiled for them; other absent parts are empty arrays.
    Nodes of at most ``row_limit`` rows read rows, larger ones columns.  A row of codes begins with 16-bit codes, of which
    ``wide_rows`` is a view, and ends with 1-bit codes, the first of them in the lowest bit.
    """

    float_rows: np.ndarray  # (n, number of float columns)
    float_columns: np.ndarray  # the transpose
    code_rows: np.ndarray | None  # (n, bytes) uint8
    wide_rows: np.ndarray | None  # (n, bytes // 2) uint16
    wide_columns: np.ndarray | None  # (number of columns with 16-bit codes, n) uint16
    narrow_columns: np.ndarray | None  # (number of columns with 8-bit codes, n) uint8
    bit_columns: np.ndarray | None  # (number of columns with 1-bit codes, bytes) uint8
    kind: np.ndarray  # (n_features,) uint8: FLOAT, WIDE, NARROW or BIT
    slot: np.ndarray  # (n_features,) uint32: position among the columns of its kind
    table: np.ndarray | None  # float64: the values of all codes, column after column
    table_start: np.ndarray | None  # (n_features,) int64
    first_narrow: int  # first byte of the 8-bit codes in a row of codes
    first_bit: int  # first byte of the 1-bit codes
    coded: int | None  # 1, or None if no column is stored as codes
    floating: int | None  # 1, or None if no column is stored as floats
    n_features: int
    row_limit: int
    exact: int  # 1: every code equals its value, an integer 0..255, and thresholds may lie between integers
    single: int  # 1: the values are 32-bit floats
    missing: np.ndarray | None  # (n_features,) int32: the code of NaN, 0 for floats with NaN, else -1; None without any NaN
    stored: Stored | None = None  # the non-zeros of a wide sparse matrix, whose columns are all FLOAT and stored only here


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
    """Set ``out[j, i] = X[i, which[j]]``, in tiles that fit into the L1 cache."""
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
    """Copy columns of a row-major matrix, each to a row."""
    which = np.arange(X.shape[1]) if which is None else which
    out = np.empty((len(which), len(X)), X.dtype)
    transpose(frozen(X), which, out)
    return out


@kernel
def _collect(bits, step, most, slots, ranks):
    """Count distinct values among every ``step``-th one, using a hash table of their bits; -1 if more than ``most``.

    The length of ``slots`` is a power of two and at least twice ``most``; ``ranks[k]`` is -1 if slot k is free.
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
    """Look up the rank of each value by its bits."""
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
    """View an array of booleans as 8-bit integers; return anything else unchanged."""
    if isinstance(X, np.ndarray) and X.dtype == np.bool_:
        return X.view(np.uint8)
    return X


def prepare_data(X: np.ndarray, *, holds_missing: bool = False, row_bytes: int | None = None) -> Data:
    """Lay out a validated matrix (uint8, float32 or float64, perhaps with NaN) for the kernels.

    A memory map is read in place, in its own order; an array is stored in both orders, as codes if they are smaller.
    """
    if not (X.flags.c_contiguous or X.flags.f_contiguous):  # such as every other column, which kernels cannot read
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
    """Return ``X`` by rows and by columns, and whether both exist; for a memory map, the other order is an empty array."""
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
    """Extract columns of a dense or sparse matrix, each as a row."""
    if sparse.issparse(X):
        return X[:, which].T.toarray(order="C")
    return _transposed(X, which) if X.flags.c_contiguous else X.T[which]


class Ranked(NamedTuple):
    """Columns as codes, with a table of values for each column; fields as in :class:`Data`."""

    kind: np.ndarray
    slot: np.ndarray
    wide: np.ndarray
    narrow: np.ndarray
    bits: np.ndarray
    tables: list[np.ndarray]  # float64; empty for float columns


def rank_columns(X: Any, missing: np.ndarray | None) -> Ranked:
    """Encode the columns of a matrix (dense, or sparse by columns) that have few values.

    NaN, which sorts last, gets the largest code, which is written to ``missing``.
    """
    n, d = X.shape
    integer = np.dtype(f"u{X.dtype.itemsize}")
    slots, ranks = np.empty(4 * MOST_CODES, integer), np.empty(4 * MOST_CODES, np.int32)
    sample = min(n, SAMPLE)
    few = slots[: 1 << sample.bit_length()], ranks[: 1 << sample.bit_length()]
    negative_zero = np.array([-0.0], X.dtype).view(integer)[0]
    kind, tables = np.full(d, FLOAT, np.uint8), [np.empty(0)] * d
    # Room for any number of columns of each kind, so that none has to be moved: 16-bit codes from the front, 8-bit codes from
    # the back.
    wide = reserved((d, n), np.uint16)
    narrow = wide.view(np.uint8).reshape(2 * d, n)
    packed, unpacked = np.empty((d, -(-n // 8)), np.uint8), np.empty(n, np.uint8)
    counts = {WIDE: 0, NARROW: 0, BIT: 0}

    def rank(block: np.ndarray, first: int) -> None:
        for j, column in enumerate(block, first):
            has_missing = missing is not None and missing[j] >= 0
            if has_missing:  # NaN has many bit patterns: use one
                column = np.where(np.isnan(column), X.dtype.type(np.nan), column)
            bits = column.view(integer)
            if _collect(bits, max(1, n // sample), sample // 2, *few) < 0:
                continue
            if _collect(bits, 1, MOST_CODES, slots, ranks) < 0:
                continue
            used = np.flatnonzero(ranks >= 0)
            if (slots[used] == negative_zero).any():  # 0.0 and -0.0 are equal but have different bits
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
        rank(_columns(X, np.arange(first, min(first + BLOCK, d))), first)  # no name keeps the last block alive
    slot = np.empty(d, np.uint32)
    for one in (FLOAT, WIDE, NARROW, BIT):
        slot[kind == one] = np.arange(np.count_nonzero(kind == one))
    slot[kind == NARROW] = np.arange(counts[NARROW])[::-1]
    return Ranked(kind, slot, wide[: counts[WIDE]], narrow[2 * d - counts[NARROW] :], packed[: counts[BIT]], tables)


def lay_out(X: Any, ranked: Ranked, missing: np.ndarray | None, row_bytes: int | None = None) -> Data:
    """Lay out the codes of coded columns and the floats of the others, by rows and by columns."""
    n, d = X.shape
    kind, slot, wide, narrow, bits, tables = ranked
    n_wide, first_bit = len(wide), 2 * len(wide) + len(narrow)
    width = first_bit + -(-len(bits) // 8)
    # an even number of bytes, so that every row of 16-bit codes is aligned
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
