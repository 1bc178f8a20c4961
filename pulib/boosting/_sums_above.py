"""Sums of weights over the rows whose code exceeds a threshold, the main cost of a round with few random thresholds.

Eight features are processed together, in vectors of 64 codes: one comparison per feature and vector, then masked additions of
weights that are loaded once for all eight.  The vectors are written in LLVM's language because equivalent loops take 2.1 to 2.6
times as long; LLVM lowers them to whatever the processor has.  Weights are 64-bit integers (fixed point), so that the sums are
exact, regardless of order, vector width or number of threads.

Bounded by memory if codes are bytes: the additions take little longer than reading the codes.
"""

import ctypes
from typing import Any

import numba as nb
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from pulib._compiled import kernel
from pulib.boosting._binning import FEATURE_GROUP, ROW_BLOCK

_LANES = 8  # 64-bit weights in a 512-bit vector
_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)


def _address(builder: Any, base: Any, offset: Any, pointee: Any) -> Any:
    return builder.inttoptr(builder.add(base, offset), pointee.as_pointer())


def _broadcast(builder: Any, value: Any, lanes: int) -> Any:
    undefined = ir.Constant(ir.VectorType(value.type, lanes), ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(_INT32, 0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(_INT32, lanes), [0] * lanes))


def _lanes_of(builder: Any, mask: Any, first: int) -> Any:
    picked = ir.Constant(ir.VectorType(_INT32, _LANES), list(range(first, first + _LANES)))
    return builder.shuffle_vector(mask, mask, picked)


@intrinsic
def _add_group_in_vectors(typingctx, codes, stride, weights, n_blocks, cuts, sums, kind):
    """``sums[k] += sum of weights[i] over codes[k, i] > cuts[k]`` for the FEATURE_GROUP features from ``codes`` on.

    All arguments except the last are addresses (of aligned arrays) and counts; ``kind`` is a scalar of the codes' type.
    """
    signature = types.void(types.uintp, types.intp, types.uintp, types.intp, types.uintp, types.uintp, kind)
    width = kind.bitwidth

    def generate(context, builder, signature, arguments):
        codes, stride, weights, n_blocks, cuts, sums, _ = arguments
        code_type = ir.IntType(width)
        code_vector = ir.VectorType(code_type, ROW_BLOCK)
        weight_vector = ir.VectorType(_INT64, _LANES)
        zeros = ir.Constant(weight_vector, [0] * _LANES)
        features = range(FEATURE_GROUP)

        def number(value):
            return ir.Constant(codes.type, value)

        limits = [
            _broadcast(builder, builder.load(_address(builder, cuts, number(k * width // 8), code_type)), ROW_BLOCK)
            for k in features
        ]
        totals = [cgutils.alloca_once_value(builder, zeros) for _ in features]
        with cgutils.for_range(builder, n_blocks) as loop:
            here = builder.mul(loop.index, number(ROW_BLOCK * width // 8))
            above = []
            for k in features:
                offset = builder.add(here, builder.mul(stride, number(k)))
                loaded = builder.load(_address(builder, codes, offset, code_vector))
                loaded.align = 64
                above.append(builder.icmp_unsigned(">", loaded, limits[k]))
            here = builder.mul(loop.index, number(ROW_BLOCK * 8))
            for first in range(0, ROW_BLOCK, _LANES):
                weight = builder.load(_address(builder, weights, builder.add(here, number(first * 8)), weight_vector))
                weight.align = 64
                for k in features:
                    chosen = builder.select(_lanes_of(builder, above[k], first), weight, zeros)
                    builder.store(builder.add(builder.load(totals[k]), chosen), totals[k])
        for k in features:
            total = builder.load(totals[k])
            place = _address(builder, sums, number(8 * k), _INT64)
            value = builder.load(place)
            for lane in range(_LANES):
                value = builder.add(value, builder.extract_element(total, ir.Constant(_INT32, lane)))
            builder.store(value, place)
        return context.get_dummy_value()

    return signature, generate


def _memory(address, count, dtype):
    """View of the ``count`` numbers at ``address``."""
    dtype = np.dtype(dtype)
    return np.frombuffer((ctypes.c_char * (count * dtype.itemsize)).from_address(address), dtype)


def _add_group_in_python(codes, stride, weights, n_blocks, cuts, sums, kind):
    n = n_blocks * ROW_BLOCK
    weights = _memory(weights, n, np.int64)
    cuts = _memory(cuts, FEATURE_GROUP, kind.dtype)
    sums = _memory(sums, FEATURE_GROUP, np.int64)
    for k in range(FEATURE_GROUP):
        sums[k] += weights[_memory(codes + k * stride, n, kind.dtype) > cuts[k]].sum()


#: An intrinsic only works inside the compiler.
_add_group = _add_group_in_python if nb.config.DISABLE_JIT else _add_group_in_vectors


@kernel
def sums_above(codes, weights, cuts, first, last, sums):
    """Sum the weights above each feature's cut into ``sums``, for the features from ``first`` to ``last - 1``.

    ``first`` and ``last`` are multiples of FEATURE_GROUP.  ``codes``, of shape (n_features, n_rows), are padded and aligned to
    64 bytes.  ``weights`` are aligned int64, cover the first rows, and have a length that is a multiple of ROW_BLOCK.  ``cuts``
    have the codes' type, and ``sums`` are int64.
    """
    size = codes.itemsize
    stride = codes.shape[1] * size
    n_blocks = weights.shape[0] // ROW_BLOCK
    for feature in range(first, last, FEATURE_GROUP):
        sums[feature : feature + FEATURE_GROUP] = 0
        _add_group(
            codes.ctypes.data + feature * stride,
            stride,
            weights.ctypes.data,
            n_blocks,
            cuts.ctypes.data + feature * size,
            sums.ctypes.data + feature * 8,
            cuts[feature],
        )


@kernel
def sum_above(row, weights, cut):
    """Sum ``weights`` over ``row > cut``, for one feature."""
    total = np.int64(0)
    for i in range(weights.shape[0]):
        total += weights[i] if row[i] > cut else np.int64(0)
    return total
