"""Borrowed arrays, which kernels pass on: an address, a shape and strides, without an owner.

A Numba array has seven to nine members and counts its references.  A helper that takes a tuple of twenty arrays therefore has
two hundred arguments, and taking an array out of the tuple costs two atomic operations.  If helpers pass tuples on, a kernel
borrows them first (``data = borrowed(data)``); docs/inside.md reports the gain.

A borrowed array has a shape and a length, and is read and written element by element; indices must not be negative and are not
checked.  A one-dimensional borrowed array can be sliced into an ordinary array (:func:`part`).  The kernel's caller keeps the
memory alive.  If Numba lacks the required interfaces or does not compile, arrays are not changed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import config
from numba.extending import register_jitable

#: Version of Numba with which borrowed arrays were last measured and tested.
TRIED = "0.68.1"


@register_jitable
def _itself(value: Any) -> Any:
    return value


@register_jitable
def _cut(array: np.ndarray, start: int, stop: int) -> np.ndarray:
    return array[start:stop]


#: For kernels: borrow an array or the arrays of a named tuple; slice a one-dimensional borrowed array into an array.
borrowed: Any = _itself
part: Any = _cut
if not config.DISABLE_JIT:
    try:
        from pulib import _borrowed_arrays
    except (ImportError, AttributeError):  # a Numba version without this interface
        pass
    else:
        borrowed, part = _borrowed_arrays.borrowed, _borrowed_arrays.part
